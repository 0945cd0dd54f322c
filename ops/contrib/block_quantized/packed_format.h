// Weights in blocks with scales of their own, in the layouts of llama.cpp's GGUF files, whose
// numbers packed_type and the like are: GatherPacked, MatMulPacked, MoEPacked.
#ifndef ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_FORMAT_H_
#define ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_FORMAT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct PackedFormat {
  int64_t id;
  absl::string_view name;
  int64_t block_size;   // elements
  int64_t block_bytes;  // of a block
  void (*decode)(const uint8_t* block, float* out);
};

// The format with this number, e.g. 16 for IQ2_XXS; `attribute` has it. Formats are those that
// onnxruntime's GatherPacked reads on CPUs.
absl::StatusOr<const PackedFormat*> PackedFormatOf(absl::string_view attribute, int64_t id);

// `data`, uint8, has rows of `columns` elements: an error unless its last dimension is that of such
// rows and the others are `outer`.
absl::Status CheckPackedRows(absl::string_view name, const Tensor& data, const PackedFormat& format,
                             absl::Span<const int64_t> outer, int64_t columns);

// The `columns` elements of a row.
template <typename C>
void DecodePackedRow(const PackedFormat& format, const uint8_t* row, int64_t columns, C* out);

// rows x columns of what lies at `data`, as C; each rounded to `round_to`.
template <typename C>
absl::StatusOr<Tensor> DecodePackedRows(const KernelContext& ctx, const PackedFormat& format,
                                        const uint8_t* data, int64_t rows, int64_t columns,
                                        DType round_to);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_FORMAT_H_
