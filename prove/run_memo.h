// Values and nodes that runs over a field have in common: both sides compute most results alike, on
// equal values.
#ifndef ONNXCMP_PROVE_RUN_MEMO_H_
#define ONNXCMP_PROVE_RUN_MEMO_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field_value.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

class ConstantFacts;

// Of the runs of one proof. What it holds is bounded.
class RunMemo {
 public:
  // A node by its operator with its attributes, its inputs and the types of its outputs. Nothing
  // for nodes that are not worth it: small ones, and those of other things than tensors.
  static std::optional<Hash128> KeyOf(uint64_t operation, absl::Span<const FieldValue> inputs,
                                      absl::Span<const Value> numbers, const ThreadPool& pool,
                                      ConstantFacts* constants = nullptr);

  // The outputs of such a node, without their numbers; null: none is known.
  const std::vector<FieldValue>* Find(const Hash128& key) const;
  void Keep(const Hash128& key, absl::Span<const FieldValue> inputs,
            const std::vector<FieldValue>& outputs);

  // Puts a value into the memory of one with the same residues, which may be known as a power of e.
  void Share(FieldValue* value);
  // The same of its masked elements.
  void ShareMask(FieldValue* value);

 private:
  struct Node {
    std::vector<FieldValue> inputs, outputs;
  };
  struct Shared {
    Tensor residues;  // or masks
    Tensor exp_factor, exp_exponent;
  };
  // Puts a tensor into the memory of one with the same elements; null: it is small, or too much.
  Shared* Share(Tensor* tensor);
  // False if that many residues more are too many.
  bool Reserve(const Tensor& residues);

  absl::flat_hash_map<Hash128, Node> nodes_;
  absl::flat_hash_map<Hash128, Shared> shared_;
  int64_t elements_ = 0;
};

// The results of one main graph's nodes on the inputs that were fed, which all runs have in common.
// Its size is bounded: nodes beyond that run again.
class RunNumbers {
 public:
  // The results that are known, else those of `run`.
  absl::StatusOr<std::vector<Value>> Of(
      int64_t node, absl::FunctionRef<absl::StatusOr<std::vector<Value>>()> run);

 private:
  absl::flat_hash_map<int64_t, std::vector<Value>> nodes_;
  int64_t bytes_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_RUN_MEMO_H_
