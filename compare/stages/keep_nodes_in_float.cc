#include "compare/stages/keep_nodes_in_float.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/cause.h"
#include "compare/conversion/conversion.h"
#include "compare/in_float/find_keep_in_float.h"
#include "compare/in_float/mixed_run.h"
#include "compare/outputs/rulings.h"
#include "compare/quantization/quantization_error.h"
#include "compare/quantization/side_values.h"
#include "compare/stages/judge_conversion.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// True if a cause is more than an effect of a coarser type.
bool IsFault(const Cause& cause, SideId converted, const MixedRun& run) {
  if (cause.overflow) return false;
  const int l = OfSide(cause, Other(converted));
  const int r = OfSide(cause, converted);
  // Constants rounded by a converter are reported as causes, but are no mistake of its user.
  if (cause.kind == CauseKind::kInitializer && !cause.in_body.has_value() && l != kNone &&
      r != kNone && run.IsRounded(l, r)) {
    return false;
  }
  return cause.kind == CauseKind::kOperator || cause.kind == CauseKind::kInitializer ||
         cause.kind == CauseKind::kInput;
}

// Distance of the farthest pair of outputs; nothing if one is not finite on one side only.
std::optional<double> Apart(const OutputComparison& judged,
                            const PerSide<std::vector<NamedOutput>>& outputs,
                            const ThreadPool* pool) {
  double farthest = 0;
  for (const OutputPair& pair : judged.pairs) {
    const Value left = ValueOf(outputs.left, pair.left_result);
    const Value right = ValueOf(outputs.right, pair.right_result);
    if (!IsMeasurable(left) || !IsMeasurable(right)) continue;
    const double apart = RelativeRms(left.tensor(), right.tensor(), pool);
    if (!std::isfinite(apart) || !std::isfinite(pair.difference.max_absolute)) return std::nullopt;
    farthest = std::max(farthest, apart);
  }
  return farthest;
}

bool HaveFailed(const PerSide<RecordedSide>& sides) {
  return std::any_of(kBothSides.begin(), kBothSides.end(), [&](SideId side) {
    return sides[side].evaluator() == nullptr || !sides[side].side->summary().status.ok();
  });
}

}  // namespace

absl::StatusOr<std::optional<KeepInFloat>> KeepNodesInFloat(
    const PerSide<RecordedSide>& sides, const PerSide<std::vector<NamedOutput>>& outputs,
    const MeasuredRows& measured, const OutputComparison& judged, const ReviewedCauses& reviewed,
    const PairTolerances& tolerances, const JudgeOptions& options, const StepTools& tools) {
  const std::optional<Conversion> conversion =
      ConversionOf({sides.left.stream, sides.right.stream});
  if (judged.agree() || !conversion.has_value() || conversion->both || HaveFailed(sides)) {
    return std::nullopt;
  }
  if (reviewed.quantization.has_value() && !reviewed.quantization->mistakes.empty()) {
    return std::nullopt;
  }
  if (ComputedBytes(*sides.left.stream) + ComputedBytes(*sides.right.stream) >
      tools.search_memory) {
    return std::nullopt;
  }
  // Outputs that were refused for their noise alone are close if they have less.
  const bool noisy = absl::c_any_of(judged.pairs, [](const OutputPair& pair) {
    return IsDecidedBy(Ground::kSignalToNoise, pair);
  });
  const double least = LeastSignalToNoise(*conversion, options.min_sqnr);
  // Outputs of another type are compared by value: no node in float could undo a conversion of the
  // outputs to 16 bits.
  JudgeOptions by_value = options;
  by_value.tolerance.output_types_close = true;
  const auto judge = [&](const PerSide<std::vector<NamedOutput>>& tried) {
    OutputComparison told = CompareOutputs(tried.left, tried.right, by_value.tolerance, &tolerances,
                                           &measured.alignment);
    told.partial = by_value.partial;
    const std::optional<double> apart = Apart(told, tried, tools.pool);
    return TriedOutputs{
        told.agree() && (!noisy || (apart.has_value() && Decibels(*apart) >= least)), apart};
  };
  if (judge(outputs).close) return std::nullopt;
  const SideId converted = conversion->converted;
  const auto values_of = [&](SideId side) {
    return SideValues::Get(sides[side], absl::StrCat(SideName(side), " again"), tools.watch,
                           tools.pool);
  };
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<SideValues> plain, values_of(Other(converted)));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<SideValues> coarse, values_of(converted));
  const std::vector<int> aligned = PartnersInOrder(measured.alignment, converted);
  MixedRun run(*plain, *coarse, aligned, conversion->quantized);
  if (std::any_of(reviewed.causes.begin(), reviewed.causes.end(),
                  [&](const Cause& cause) { return IsFault(cause, converted, run); })) {
    return std::nullopt;
  }
  const auto& shown = coarse->graph().outputs();
  std::optional<KeepInFloat> keep =
      FindKeepInFloat(&run, reviewed.quantization.has_value() ? &*reviewed.quantization : nullptr,
                      [&](const std::vector<Value>& values) {
                        PerSide<std::vector<NamedOutput>> tried = outputs;
                        for (NamedOutput& output : tried[converted]) {
                          for (size_t i = 0; i < std::min(shown.size(), values.size()); ++i) {
                            if (shown[i].first == output.result) output.value = values[i];
                          }
                        }
                        return judge(tried);
                      });
  if (keep.has_value()) {
    keep->converted = converted;
    keep->quantized = conversion->quantized;
  }
  return keep;
}

}  // namespace onnxcmp
