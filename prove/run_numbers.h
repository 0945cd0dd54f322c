// The results of a model's nodes on numbers, which all runs of a proof have in common.
#ifndef ONNXCMP_PROVE_RUN_NUMBERS_H_
#define ONNXCMP_PROVE_RUN_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Of the nodes of one main graph, on the inputs that were fed. What it holds is bounded: nodes
// beyond that run again.
class RunNumbers {
 public:
  // Null: they are not known.
  const std::vector<Value>* Find(int64_t node) const {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? nullptr : &found->second;
  }

  void Keep(int64_t node, const std::vector<Value>& results) {
    constexpr int64_t kMostBytes = int64_t{1} << 28;
    int64_t bytes = 0;
    for (const Value& result : results) {
      // The account has no number for the elements of a sequence.
      if (!result.empty() && !result.is_tensor()) return;
      if (result.is_tensor()) bytes += result.tensor().byte_size();
    }
    if (bytes > kMostBytes - bytes_) return;
    bytes_ += bytes;
    nodes_.emplace(node, results);
  }

 private:
  absl::flat_hash_map<int64_t, std::vector<Value>> nodes_;
  int64_t bytes_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_RUN_NUMBERS_H_
