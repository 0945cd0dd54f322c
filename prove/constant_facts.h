// Facts of large constants, which the runs of a proof and both sides have in common: weights are
// read from their files once, and not in each run.
#ifndef ONNXCMP_PROVE_CONSTANT_FACTS_H_
#define ONNXCMP_PROVE_CONSTANT_FACTS_H_

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// Numbers for the columns of a matrix: equal ones have the same elements.
using ColumnNumbers = std::vector<uint64_t>;

class ConstantFacts {
 public:
  explicit ConstantFacts(const ThreadPool& pool) : pool_(pool) {}

  // The hash that ContentOf() gives.
  Hash128 Content(const Value& value);
  // True for a large tensor of real numbers that are not all the same.
  absl::StatusOr<bool> IsTable(const Tensor& tensor);
  // Null: it is no matrix of real, finite numbers.
  absl::StatusOr<const ColumnNumbers*> Columns(const Tensor& tensor, bool transposed);

 private:
  // Where the elements lie. Those in memory of a run are not worth it: each run has others.
  using Place = std::tuple<const void*, int64_t, DType, Shape, Shape>;
  struct Kept {
    Tensor tensor;  // it stays where it is
    Hash128 content;
  };

  const ThreadPool& pool_;
  absl::flat_hash_map<Place, Kept> contents_;
  absl::flat_hash_map<Hash128, bool> tables_;
  absl::flat_hash_map<Hash128, std::unique_ptr<ColumnNumbers>> columns_;
};

// Products of rows with columns as an unknown function of each row, up to a factor, and each
// column. What is equal for all functions is so for products, at a fraction of the cost.
Residues ProductsAsFunctions(const PrimeField& field, const Residues& rows,
                             const ColumnNumbers& columns, const ThreadPool& pool);

// True if both sides have most of their large matrices in common, or are about images.
bool ShareConstants(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_CONSTANT_FACTS_H_
