// Constant nodes, which depend only on values known before a run, so that their outputs are the
// same each time.
#ifndef ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_
#define ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "compare/sides/value_bank.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// For two models that run on several sets of inputs: weights that are dequantized, scaled,
// concatenated. For a chain of models, each compared with the next on the same inputs: every node.
// Nodes are identified as in SharedNodes, constants by their content.
class ConstantNodes {
 public:
  // Holds outputs of nodes up to this many bytes; others are computed again, but their fingerprints
  // are not. The limit can only be raised.
  void HoldUpTo(int64_t bytes);

  void AddConstant(const Hash128& content) { constants_.insert(content); }
  bool IsConstant(const Hash128& content) const { return constants_.contains(content); }

  // Adds the outputs of a node that reads constants alone. `worth_holding`: running it again is
  // more expensive.
  void Add(const Hash128& key, absl::Span<const Value> outputs,
           absl::Span<const Fingerprint> fingerprints, bool worth_holding);
  // Its outputs, if they are held.
  std::optional<std::vector<Value>> Outputs(const Hash128& key) const;
  // By output; null if the node is not known.
  const std::vector<Fingerprint>* Fingerprints(const Hash128& key) const;

 private:
  struct Known {
    std::vector<Fingerprint> fingerprints;
    std::optional<int> first_held;  // in the bank; nothing: not all are held
  };

  absl::flat_hash_set<Hash128> constants_;
  absl::flat_hash_map<Hash128, Known> known_;
  int64_t budget_ = 0;
  ValueBank held_{0};
  int next_held_ = 0;
};

// Findings about the constants of models, valid for any inputs.
struct SeenConstants {
  // `letters`: as FingerprintCache takes it.
  explicit SeenConstants(bool letters) : fingerprints(letters) {}

  // Inputs count as constant, too: all models are fed the same.
  bool with_inputs = false;
  FingerprintCache fingerprints;
  ConstantNodes nodes;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_
