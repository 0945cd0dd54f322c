// Finding elements among keys: LabelEncoder, CategoryMapper, OneHotEncoder.
#ifndef ONNXCMP_OPS_TRADITIONALML_KEY_INDEX_H_
#define ONNXCMP_OPS_TRADITIONALML_KEY_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// How floating-point keys are compared.
enum class FloatKeys : uint8_t {
  kByValue,  // -0 equals 0, and any NaN any other
  kByBits,
};

class KeyIndex {
 public:
  KeyIndex() = default;
  // Keys: strings, integers, float or double, contiguous. Of equal ones the last counts.
  KeyIndex(const Tensor& keys, FloatKeys float_keys);

  // For every element of x its position among the keys, or `otherwise`. An error if x is of another
  // dtype than the keys.
  absl::StatusOr<std::vector<int64_t>> Find(const KernelContext& ctx, const Tensor& x,
                                            int64_t otherwise) const;

 private:
  DType dtype_ = DType::kUndefined;
  FloatKeys float_keys_ = FloatKeys::kByValue;
  absl::flat_hash_map<std::string, int64_t> strings_;
  absl::flat_hash_map<int64_t, int64_t> numbers_;
};

// table[indices[i]] in this shape; the table is contiguous, the indices are in range.
absl::StatusOr<Tensor> PickElements(const KernelContext& ctx, const Tensor& table,
                                    absl::Span<const int64_t> indices,
                                    absl::Span<const int64_t> shape);

// `values` (contiguous) with the one element of `last`, which is of the same dtype, after them.
absl::StatusOr<Tensor> WithLast(const Tensor& values, const Tensor& last);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_KEY_INDEX_H_
