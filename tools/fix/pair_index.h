// The two models of a comparison by the names of their results: who makes and reads what, and which
// results belong together.
#ifndef ONNXCMP_TOOLS_FIX_PAIR_INDEX_H_
#define ONNXCMP_TOOLS_FIX_PAIR_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/alignment.h"
#include "compare/outcome/comparison.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"
#include "record/streams/hash128.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// The main graph of a side. Holds no copy of the model or of the stream.
struct SideIndex {
  SideIndex(const Model& of, const ResultStream& recorded);

  const Node* MakerOf(const std::string& name) const;
  // The tensor of an initializer or of a Constant node; null for other results.
  const Tensor* ConstantOf(const std::string& name) const;
  // The result in the stream; null if the run did not come to it.
  const StreamResult* ResultOf(const std::string& name) const;
  bool IsOutput(const std::string& name) const;
  // All names that are computed from one, that one too.
  absl::flat_hash_set<std::string> After(const std::string& name) const;
  // The version of a node's operator set.
  int64_t VersionOf(const Node& node) const;

  const Model& model;
  const ResultStream& stream;
  absl::flat_hash_map<std::string, const Node*> makers;
  absl::flat_hash_map<std::string, std::vector<const Node*>> readers;  // in subgraphs, too
  absl::flat_hash_map<std::string, const Tensor*> constants;
  absl::flat_hash_map<std::string, int> results;  // in the stream
};

// How far pairs are taken for granted.
enum class Trust { kAllPairs, kPairsThatAgree };

struct PairIndex {
  PairIndex(const PerSide<const Model*>& models, const Comparison& comparison);

  // The right's results that stand for a left one, the best first.
  std::vector<std::string> PartnersOf(const std::string& left, Trust trust) const;
  // The left's result that a right one is paired with; "" if there is none.
  std::string LeftOf(const std::string& right) const;

  SideIndex left, right;

 private:
  const Alignment& alignment_;
  std::vector<bool> agree_;  // by left result: it agrees with its partner
  // Right results by their bits.
  absl::flat_hash_map<Hash128, std::vector<int>> by_bits_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_PAIR_INDEX_H_
