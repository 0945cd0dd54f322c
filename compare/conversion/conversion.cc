#include "compare/conversion/conversion.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

int64_t ShortFloats(const ResultStream& stream) {
  return std::count_if(stream.results.begin(), stream.results.end(), [](const StreamResult& r) {
    return r.node != kNone && IsShortFloat(r.dtype);
  });
}

double CoarsestEpsilon(const ResultStream& stream) {
  double epsilon = 0;
  for (const StreamResult& r : stream.results) {
    if (IsShortFloat(r.dtype)) {
      epsilon = std::max(epsilon, EpsilonOf(r.dtype));
    }
  }
  return epsilon;
}

bool HasShortFloats(const Graph& graph) {
  return absl::c_any_of(graph.initializers, [](const Initializer& initializer) {
    const Value& value = initializer.value;
    return value.is_tensor() && IsShortFloat(value.tensor().dtype());
  });
}

bool HasQuantization(const Graph& graph) {
  return absl::c_any_of(graph.nodes, [](const Node& node) { return Quantizes(node.op_type); });
}

std::map<absl::string_view, int64_t> QuantizingNodes(const ResultStream& stream) {
  std::map<absl::string_view, int64_t> counts;
  for (const StreamNode& node : stream.nodes) {
    if (Quantizes(node.op_type)) ++counts[node.op_type];
  }
  return counts;
}

// True for two sides with the same integers, scales and zero points for the most part, and as many
// nodes that make and read them.
bool AreIntegerTwins(const ResultStream& left, const ResultStream& right) {
  return !DifferInQuantization(left, right) && QuantizingNodes(left) == QuantizingNodes(right);
}

bool HasFewBits(const ResultStream& stream) {
  const int of_8_bits = BitWidth(DType::kInt8);
  return absl::c_any_of(stream.nodes,
                        [&](const StreamNode& node) {
                          return HasTrait(node, OperatorTrait::kPacked) && node.bits < of_8_bits;
                        }) ||
         absl::c_any_of(stream.results, [&](const StreamResult& result) {
           return IsInteger(result.dtype) && BitWidth(result.dtype) < of_8_bits;
         });
}

}  // namespace

bool IsShortFloat(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBfloat16; }

bool MayBeConverted(const PerSide<const Graph*>& graphs) {
  return HasQuantization(*graphs.left) != HasQuantization(*graphs.right) ||
         HasShortFloats(*graphs.left) != HasShortFloats(*graphs.right);
}

std::optional<Conversion> ConversionOf(const PerSide<const ResultStream*>& streams) {
  const PerSide<bool> quantized = {IsQuantized(*streams.left), IsQuantized(*streams.right)};
  if (quantized.left != quantized.right) {
    const SideId converted = quantized.right ? SideId::kRight : SideId::kLeft;
    return Conversion{converted, true, CoarsestEpsilon(*streams[converted]),
                      HasFewBits(*streams[converted])};
  }
  if (quantized.left) {
    if (!AreIntegerTwins(*streams.left, *streams.right)) return std::nullopt;
    return Conversion{.quantized = true, .both = true};
  }
  const PerSide<int64_t> floats = {ShortFloats(*streams.left), ShortFloats(*streams.right)};
  const SideId converted = floats.left > floats.right ? SideId::kLeft : SideId::kRight;
  if (floats[converted] == 0 || 2 * floats[Other(converted)] > floats[converted]) {
    return std::nullopt;
  }
  return Conversion{converted, false, CoarsestEpsilon(*streams[converted])};
}

}  // namespace onnxcmp
