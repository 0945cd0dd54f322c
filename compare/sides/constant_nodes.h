// Nodes that read nothing but what is known before a run: what they give is the same each time.
#ifndef ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_
#define ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "compare/sides/value_bank.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/fingerprint_cache.h"
#include "compare/streams/hash128.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Of two models, for their runs on several sets of inputs: weights that are dequantized, scaled,
// joined. Of a chain of models, each of which is compared with the next on the same inputs: every
// node. Nodes are known as SharedNodes knows them, constants by their content.
class ConstantNodes {
 public:
  // What nodes give is held as far as it fits into so many bytes; the rest is computed again, but
  // not looked at again. Only more than before counts.
  void HoldUpTo(int64_t bytes);

  void AddConstant(const Hash128& content) { constants_.insert(content); }
  bool IsConstant(const Hash128& content) const { return constants_.contains(content); }

  // What a node gave that reads constants alone. `worth_holding`: it takes longer to run it again.
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

// What was found of the constants of models, whatever they are fed.
struct SeenConstants {
  // `letters`: as FingerprintCache takes it.
  explicit SeenConstants(bool letters) : fingerprints(letters) {}

  // What models are fed counts as constant, too: others will be fed the same.
  bool with_inputs = false;
  FingerprintCache fingerprints;
  ConstantNodes nodes;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_CONSTANT_NODES_H_
