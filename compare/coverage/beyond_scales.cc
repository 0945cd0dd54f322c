#include "compare/coverage/beyond_scales.h"

#include <algorithm>

#include "compare/streams/fingerprint.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

double BeyondScales(const ResultStream& stream) {
  const auto at = [&](const StreamNode& node, size_t i) -> const StreamResult* {
    return i < node.inputs.size() && node.inputs[i] != kNone
               ? &stream.results[Index(node.inputs[i])]
               : nullptr;
  };
  double beyond = 0;
  for (const StreamNode& node : stream.nodes) {
    if (node.op_type != "QuantizeLinear" || node.outputs.empty() || node.outputs[0] == kNone) {
      continue;
    }
    const StreamResult* x = at(node, 0);
    const StreamResult* scale = at(node, 1);
    const StreamResult* zero = at(node, 2);
    const DType dtype = stream.results[Index(node.outputs[0])].dtype;
    if (x == nullptr || scale == nullptr || scale->fingerprint.size != 1 || !IsInteger(dtype) ||
        BitWidth(dtype) > 16) {
      continue;
    }
    const double step = scale->fingerprint.numbers().statistics.max;
    const double point = zero == nullptr ? 0 : zero->fingerprint.numbers().statistics.max;
    const double least = step * (static_cast<double>(IntegerMin(dtype)) - point);
    const double greatest = step * (static_cast<double>(IntegerMax(dtype)) - point);
    const Statistics& of = x->fingerprint.numbers().statistics;
    if (!(greatest > least)) continue;
    beyond = std::max(beyond, std::max(least - of.min, of.max - greatest) / (greatest - least));
  }
  return beyond;
}

}  // namespace onnxcmp
