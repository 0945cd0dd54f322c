#include "compare/conversion/conversion.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "compare/differences/tensor_distance.h"
#include "compare/operators/operator_traits.h"
#include "compare/streams/quantized_streams.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

int64_t ShortFloats(const ResultStream& stream) {
  return std::count_if(stream.results.begin(), stream.results.end(), [](const StreamResult& r) {
    return r.node != kNone && (r.dtype == DType::kFloat16 || r.dtype == DType::kBfloat16);
  });
}

double CoarsestEpsilon(const ResultStream& stream) {
  double epsilon = 0;
  for (const StreamResult& r : stream.results) {
    if (r.dtype == DType::kFloat16 || r.dtype == DType::kBfloat16) {
      epsilon = std::max(epsilon, EpsilonOf(r.dtype));
    }
  }
  return epsilon;
}

bool HasShortFloats(const Graph& graph) {
  return absl::c_any_of(graph.initializers, [](const Initializer& initializer) {
    const Value& value = initializer.value;
    return value.is_tensor() && (value.tensor().dtype() == DType::kFloat16 ||
                                 value.tensor().dtype() == DType::kBfloat16);
  });
}

bool Quantized(const Graph& graph) {
  return absl::c_any_of(graph.nodes, [](const Node& node) { return Quantizes(node.op_type); });
}

bool HasFewBits(const ResultStream& stream) {
  constexpr int kMany = 8;
  return absl::c_any_of(stream.nodes,
                        [](const StreamNode& node) {
                          return HasTrait(node, OperatorTrait::kPacked) && node.bits < kMany;
                        }) ||
         absl::c_any_of(stream.results, [](const StreamResult& result) {
           return IsInteger(result.dtype) && BitWidth(result.dtype) < kMany;
         });
}

}  // namespace

bool MayBeConverted(const PerSide<const Graph*>& graphs) {
  return Quantized(*graphs.left) != Quantized(*graphs.right) ||
         HasShortFloats(*graphs.left) != HasShortFloats(*graphs.right);
}

std::optional<Conversion> ConversionOf(const PerSide<const ResultStream*>& streams) {
  const PerSide<bool> quantized = {IsQuantized(*streams.left), IsQuantized(*streams.right)};
  if (quantized.left != quantized.right) {
    const SideId converted = quantized.right ? SideId::kRight : SideId::kLeft;
    return Conversion{converted, true, CoarsestEpsilon(*streams[converted]),
                      HasFewBits(*streams[converted])};
  }
  if (quantized.left) return std::nullopt;
  const PerSide<int64_t> floats = {ShortFloats(*streams.left), ShortFloats(*streams.right)};
  const SideId converted = floats.left > floats.right ? SideId::kLeft : SideId::kRight;
  if (floats[converted] == 0 || 2 * floats[Other(converted)] > floats[converted]) {
    return std::nullopt;
  }
  return Conversion{converted, false, CoarsestEpsilon(*streams[converted])};
}

}  // namespace onnxcmp
