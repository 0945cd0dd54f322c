#include "compare/conversion/packed_weights.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/quantization/quantized_weights.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Code i of a row of bytes; the first ones are in the low bits.
uint8_t CodeAt(const uint8_t* row, int64_t i, int64_t bits) {
  const int64_t first = i * bits;
  const int mask = (1 << bits) - 1;
  return static_cast<uint8_t>((row[first / 8] >> (first % 8)) & mask);
}

}  // namespace

std::optional<PackedWeights> UnpackNBits(const Node& node, const Tensor& packed,
                                         const Tensor& scales, const Tensor* zero_points) {
  const int64_t depth = IntAttribute(node, "K").value_or(0);
  const int64_t columns = IntAttribute(node, "N").value_or(0);
  const int64_t bits = IntAttribute(node, "bits").value_or(4);
  const int64_t block = IntAttribute(node, "block_size").value_or(0);
  if (depth <= 0 || columns <= 0 || block <= 0 || (bits != 2 && bits != 4 && bits != 8)) {
    return std::nullopt;
  }
  if (node.inputs.size() > kGroupIndexSlot && !node.inputs[kGroupIndexSlot].empty()) {
    return std::nullopt;
  }
  const int64_t blocks = (depth + block - 1) / block;
  const int64_t bytes = blocks * block * bits / 8;
  if (packed.dtype() != DType::kUint8 || packed.num_elements() != columns * bytes ||
      !IsFloatingPoint(scales.dtype()) || scales.num_elements() != columns * blocks) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> rows = packed.Contiguous();
  absl::StatusOr<Tensor> codes = Tensor::Allocate(DType::kUint8, {columns, depth});
  if (!rows.ok() || !codes.ok()) return std::nullopt;
  auto* const out = codes->mutable_data<uint8_t>();
  for (int64_t n = 0; n < columns; ++n) {
    const uint8_t* const row = rows->data<uint8_t>() + n * bytes;
    for (int64_t k = 0; k < depth; ++k) out[n * depth + k] = CodeAt(row, k, bits);
  }
  QuantParamValues params;
  params.scales = ElementsOf(scales);
  params.zero_points = {std::ldexp(1, static_cast<int>(bits) - 1)};
  params.axis = 1;
  params.block = block;
  params.most = std::ldexp(1, static_cast<int>(bits)) - 1;
  if (zero_points != nullptr) {
    const int64_t in_row = (blocks * bits + 7) / 8;
    if (zero_points->dtype() != DType::kUint8) {
      params.zero_points = ElementsOf(*zero_points);
    } else if (zero_points->num_elements() == columns * in_row) {
      const absl::StatusOr<Tensor> bytes_of_zeros = zero_points->Contiguous();
      if (!bytes_of_zeros.ok()) return std::nullopt;
      params.zero_points.clear();
      for (int64_t n = 0; n < columns; ++n) {
        const uint8_t* const row = bytes_of_zeros->data<uint8_t>() + n * in_row;
        for (int64_t i = 0; i < blocks; ++i) params.zero_points.push_back(CodeAt(row, i, bits));
      }
    }
    if (params.zero_points.size() != params.scales.size()) return std::nullopt;
  }
  return PackedWeights{*std::move(codes), std::move(params)};
}

}  // namespace onnxcmp
