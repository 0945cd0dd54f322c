#include "compare/in_double/shadow_report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

const TruthDistance* Found(const SideShadow& shadow, int r) {
  if (!shadow.ran || Index(r) >= shadow.distances.size() || shadow.misleading[Index(r)]) {
    return nullptr;
  }
  const std::optional<TruthDistance>& distance = shadow.distances[Index(r)];
  return distance.has_value() ? &*distance : nullptr;
}

double Farther(const TruthFinding& finding) { return std::max(finding.left, finding.right); }

Value ValueAt(const NumberedValues& values, int r) {
  const auto at = absl::c_find_if(values, [&](const auto& output) { return output.first == r; });
  return at == values.end() ? Value() : at->second;
}

// Values follow their names, as outputs do: the alignment pairs exchanged outputs by their values.
std::optional<double> Apart(const ShadowReport& report, absl::Span<const OutputPair> outputs,
                            const NumberedValues& left, const NumberedValues& right) {
  std::optional<double> apart;
  for (const OutputPair& pair : outputs) {
    const Value ours = ValueAt(left, pair.left_result);
    const Value theirs = ValueAt(right, pair.right_result);
    if (!IsMeasurable(ours) || !IsMeasurable(theirs) ||
        Found(report.left, pair.left_result) == nullptr ||
        Found(report.right, pair.right_result) == nullptr ||
        ours.tensor().num_elements() != theirs.tensor().num_elements()) {
      continue;
    }
    const TruthDistance distance = TruthDistanceOf(theirs.tensor(), ours.tensor());
    const double relative =
        distance.scale > 0 ? distance.max_absolute / distance.scale : distance.max_absolute;
    apart = std::max(apart.value_or(0), relative);
  }
  return apart;
}

}  // namespace

ShadowReport MakeShadowReport(const ComparedSides& sides, SideShadow left, SideShadow right,
                              absl::Span<const OutputPair> outputs,
                              const NumberedValues& left_outputs,
                              const NumberedValues& right_outputs) {
  ShadowReport report;
  report.left = std::move(left);
  report.right = std::move(right);
  report.rows.resize(sides.rows.size());
  for (size_t i = 0; i < sides.rows.size(); ++i) {
    const AlignedRow& row = sides.rows[i].aligned;
    if (!row.paired()) continue;
    const TruthDistance* a = Found(report.left, row.left.back());
    const TruthDistance* b = Found(report.right, row.right.back());
    if (a == nullptr || b == nullptr) continue;
    report.rows[i] = JudgeTruth(*a, *b);
    const bool is_output = sides.left.results[Index(row.left.back())].kind == ResultKind::kOutput;
    const bool better =
        is_output ? !report.of_outputs || Farther(*report.rows[i]) >= Farther(*report.farthest)
                  : !report.of_outputs;
    if (better) report.farthest = report.rows[i];
    report.of_outputs = report.of_outputs || is_output;
  }
  report.apart = Apart(report, outputs, left_outputs, right_outputs);
  return report;
}

}  // namespace onnxcmp
