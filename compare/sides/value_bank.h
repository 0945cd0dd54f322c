// Values that are kept for later use, within a budget.
#ifndef ONNXCMP_COMPARE_SIDES_VALUE_BANK_H_
#define ONNXCMP_COMPARE_SIDES_VALUE_BANK_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class ValueBank {
 public:
  // In bytes. A buffer counts once, however many values share it.
  explicit ValueBank(int64_t budget) : budget_(budget) {}

  // Keeps the value under its result's number if it fits. `free`: it is in memory anyway, such as
  // an initializer, and does not count.
  bool Keep(int result, const Value& value, bool free = false);
  // Null if it is not kept. Valid until it is dropped.
  const Value* Find(int result) const;
  void Drop(int result);
  void Clear();

  int64_t bytes() const { return bytes_; }

 private:
  struct Kept {
    Value value;
    bool free;
  };

  int64_t budget_;
  int64_t bytes_ = 0;
  absl::node_hash_map<int, Kept> values_;
  absl::flat_hash_map<const Buffer*, int64_t> users_;  // users of each buffer that counts
};

// Releases a run's result that is kept longer than the run needs it from
// EvaluatorOptions::max_memory, which would otherwise end the run for values that the comparison
// keeps.
void LeaveMemoryAccount(const Value& value);

// Bytes of the buffers that a value refers to.
int64_t BytesHeldBy(const Value& value);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_VALUE_BANK_H_
