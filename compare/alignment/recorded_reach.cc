#include "compare/alignment/recorded_reach.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "compare/alignment/weights.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/precision.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

double ReachOf(const StreamResult& a, const StreamResult& b) {
  const DType type = LessPrecise(a.own_precision, b.own_precision);
  const double of_types =
      type == DType::kFloat || type == DType::kDouble ? weights::kNear : weights::kNearNamesake;
  const DType passed = LessPrecise(a.precision, b.precision);
  return IsInteger(passed) ? std::max(of_types, ToleranceOfQuantized(passed).whole) : of_types;
}

bool IsQuantizedFrom(const ResultStream& model, int rounded, int before) {
  for (const absl::string_view op_type : {"DequantizeLinear", "QuantizeLinear"}) {
    const int n = model.results[Index(rounded)].node;
    if (n == kNone) return false;
    const StreamNode& node = model.nodes[Index(n)];
    if (node.op_type != op_type || node.inputs.empty() || node.inputs.front() == kNone) {
      return false;
    }
    rounded = node.inputs.front();
  }
  return rounded == before;
}

}  // namespace onnxcmp
