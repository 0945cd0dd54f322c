// Caches of keys and values, (batch, heads, rows, head size), as the attention operators extend
// them: the past of one step and the step's own rows make the next one's past.
#ifndef ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_CACHE_H_
#define ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_CACHE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Rows [first, first + count) of a cache.
struct CacheRows {
  int64_t first = 0;
  int64_t count = 0;
};

// A cache of `rows` rows: of each batch entry those of `past` that are kept, then those of `fresh`
// as far as they fit, then zeros. `past` may be null if nothing is kept of it. The kept rows must
// be in the past and no more than `rows`.
absl::StatusOr<Tensor> ExtendedCache(const KernelContext& ctx, const Tensor* past,
                                     absl::Span<const CacheRows> kept, const Tensor& fresh,
                                     int64_t rows);

// A copy of `past` with rows at[b], at[b] + 1, ... of each batch entry replaced by `fresh`: what
// operators do whose past and present are one buffer. `at` may be one number for all entries.
// InvalidArgument if there are not that many rows.
absl::StatusOr<Tensor> ReplacedRows(const KernelContext& ctx, const Tensor& past,
                                    const Tensor& fresh, absl::Span<const int64_t> at);

// A copy of a cache with other rows: those of beam search. The batch entries are beams, `beams` of
// them for each entry of the search; row t < rows of beam j of entry i is row t of that beam of
// entry i whose number is element (i, j, t) of `indirection`, of shape (entries, beams, any). The
// rows after stay. InvalidArgument if the indirection does not fit.
absl::StatusOr<Tensor> WithIndirection(const KernelContext& ctx, const Tensor& cache,
                                       const Tensor& indirection, int64_t rows);

// How numbers are kept in a cache: quantized by a scale, without a zero point.
struct CacheFormat {
  DType dtype = DType::kFloat;  // of the elements
  bool is_quantized = false;    // int8, or a float8
  bool is_packed = false;       // uint8: two numbers in -8 ... 7, plus 8, in a byte, the first low
  Tensor scale;                 // float: one element, or (heads, head size) in a shape of that size
};

// InvalidArgument unless it is "NONE", "PER_TENSOR" or "PER_CHANNEL".
absl::Status CheckQuantizationKind(absl::string_view attribute, absl::string_view kind);

// Checks `kind` ("NONE", "PER_TENSOR", "PER_CHANNEL") and the scale that goes with it; `name` is
// "k" or "v" for messages. The bit width is that of the attribute, 0 if it is absent.
absl::StatusOr<CacheFormat> CacheFormatOf(const KernelContext& ctx, absl::string_view name,
                                          absl::string_view kind, DType dtype, int64_t bit_width,
                                          int scale_input, int64_t heads, int64_t head_size);

// (batch, heads, sequence, head size), a view of any float type, as it is stored in the cache.
absl::StatusOr<Tensor> ToCache(const KernelContext& ctx, const Tensor& x,
                               const CacheFormat& format);
// And back, as C.
template <typename C>
absl::StatusOr<Tensor> FromCache(const KernelContext& ctx, const Tensor& cache,
                                 const CacheFormat& format);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_ATTENTION_ATTENTION_CACHE_H_
