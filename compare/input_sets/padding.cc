#include "compare/input_sets/padding.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {
namespace {

// The axis of an output along the mask's rows; nothing if there is none.
std::optional<int64_t> AxisAlong(const Tensor& output, const Tensor& mask) {
  if (output.rank() < 2 || output.dim(0) != mask.dim(0)) return std::nullopt;
  if (output.dim(1) == mask.dim(1)) return 1;
  if (output.rank() > 3 && output.dim(2) == mask.dim(1)) return 2;
  return output.rank() == 3 && output.dim(1) < mask.dim(1) ? std::optional<int64_t>(1)
                                                           : std::nullopt;
}

// Makes a copy, in rows.
std::optional<Tensor> WithZeros(const Tensor& output, const Tensor& mask,
                                const std::vector<double>& counts) {
  const std::optional<int64_t> axis = AxisAlong(output, mask);
  const int bits = BitWidth(output.dtype());
  if (!axis.has_value() || bits == 0 || bits % 8 != 0 || output.num_elements() == 0) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = output.Contiguous();
  absl::StatusOr<Tensor> copy = Tensor::Allocate(output.dtype(), output.shape());
  if (!whole.ok() || !copy.ok()) return std::nullopt;
  std::byte* data = copy->mutable_raw_data();
  std::memcpy(data, whole->raw_data(), static_cast<size_t>(output.byte_size()));
  const int64_t length = output.dim(*axis);
  int64_t inner = bits / 8;
  for (int64_t i = *axis + 1; i < output.rank(); ++i) inner *= output.dim(i);
  const int64_t between = *axis == 2 ? output.dim(1) : 1;
  const int64_t row = mask.dim(1);
  for (int64_t outer = 0; outer < output.dim(0) * between; ++outer) {
    for (int64_t i = 0; i < length; ++i) {
      const int64_t at = outer / between * row + row - length + i;
      if (counts[static_cast<size_t>(at)] != 0) continue;
      std::memset(data + (outer * length + i) * inner, 0, static_cast<size_t>(inner));
    }
  }
  return *std::move(copy);
}

}  // namespace

std::vector<NamedOutput> WithoutPadding(std::vector<NamedOutput> outputs, const Tensor& mask) {
  const absl::StatusOr<Tensor> whole = mask.Contiguous();
  if (!whole.ok() || mask.rank() != 2 || mask.num_elements() == 0 || !IsInteger(mask.dtype())) {
    return outputs;
  }
  std::vector<double> counts(static_cast<size_t>(mask.num_elements()));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, mask.num_elements(), counts.data());
  for (NamedOutput& output : outputs) {
    if (!output.value.is_tensor()) continue;
    std::optional<Tensor> without = WithZeros(output.value.tensor(), mask, counts);
    if (without.has_value()) output.value = Value(*std::move(without));
  }
  return outputs;
}

}  // namespace onnxcmp
