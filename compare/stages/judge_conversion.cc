#include "compare/stages/judge_conversion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/differences/number_strips.h"
#include "compare/differences/tensor_distance.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quantization_error.h"

namespace onnxcmp {
namespace {

// Below this ratio of signal to noise, noise has taken the place of the values: as kMostWhole.
constexpr double kLeastDecibels = 10;

Value ValueOf(const std::vector<NamedOutput>& outputs, int result) {
  const auto at = absl::c_find_if(outputs, [&](const auto& one) { return one.result == result; });
  return at == outputs.end() ? Value() : at->value;
}

bool AreFiniteAlike(const Tensor& a, const Tensor& b) {
  bool alike = true;
  ForEachStrip(NumberReader(a), NumberReader(b), 0, a.num_elements(),
               [&](int64_t, int64_t count, const double* x, const double* y) {
                 for (int64_t i = 0; i < count; ++i) {
                   alike = alike && (std::isfinite(x[i]) == std::isfinite(y[i]) || x[i] == y[i]);
                 }
                 return alike;
               });
  return alike;
}

bool IsHonestPair(const CheckedConversion& checked, const OutputPair& pair) {
  const SideId converted = checked.conversion.converted;
  const PerSide<int> results = {pair.left_result, pair.right_result};
  return !pair.recorded && results.left != kNone && results.right != kNone &&
         checked.IsHonestOutput(results[Other(converted)], results[converted]);
}

}  // namespace

OutputComparison JudgeConversion(const CheckedConversion& checked,
                                 const PerSide<std::vector<NamedOutput>>& outputs,
                                 const ConversionLimits& limits, OutputComparison judged,
                                 const ThreadPool* pool) {
  for (OutputPair& pair : judged.pairs) {
    if (pair.same_bits || !IsHonestPair(checked, pair)) continue;
    const Value left = ValueOf(outputs.left, pair.left_result);
    const Value right = ValueOf(outputs.right, pair.right_result);
    if (!IsMeasurable(left) || !IsMeasurable(right)) continue;
    const Tensor& a = left.tensor();
    const Tensor& b = right.tensor();
    if (a.shape() != b.shape()) continue;
    if (!IsFloatingPoint(a.dtype()) || !IsFloatingPoint(b.dtype())) {
      // Numbers that were chosen by others which rounding has moved.
      if (!pair.difference.agree && pair.difference.reason.empty()) {
        pair.ties = true;
        pair.difference.agree = limits.ties_agree;
      }
      continue;
    }
    if (!pair.difference.reason.empty() || !AreFiniteAlike(a, b)) continue;
    const SideId converted = checked.conversion.converted;
    const NoiseStats stats = converted == SideId::kRight
                                 ? NoiseStatsOf(DequantizedView(a), DequantizedView(b), pool)
                                 : NoiseStatsOf(DequantizedView(b), DequantizedView(a), pool);
    const double decibels = Decibels(stats.noise);
    const double least = limits.min_sqnr.value_or(limits.other_inputs ? -1e300 : kLeastDecibels);
    pair.difference.beyond = 0;
    pair.difference.agree = decibels >= least;
    pair.difference.fault =
        pair.difference.agree
            ? ""
            : absl::StrFormat("their signal to noise is %.1f dB, below %.4g dB", decibels, least);
    pair.within_own = false;
    pair.tolerance_reason = absl::StrFormat(
        "%s on the %s: each of %d nodes rounds as that type does; signal to noise %.1f dB",
        checked.conversion.quantized ? "quantization" : "a float of 16 bits",
        converted == SideId::kLeft ? "left" : "right", checked.nodes, decibels);
  }
  judged.agree = AllAgree(judged);
  return judged;
}

bool IsHonest(const CheckedConversion& checked, const OutputComparison& judged) {
  return checked.suspects.empty() && !judged.pairs.empty() &&
         absl::c_all_of(judged.pairs, [&](const OutputPair& pair) {
           return pair.same_bits || IsHonestPair(checked, pair);
         });
}

std::vector<Cause> WithoutHonest(const CheckedConversion& checked, std::vector<Cause> causes) {
  std::erase_if(causes, [&](const Cause& cause) {
    const int r = OfSide(cause, checked.conversion.converted);
    return r != kNone && !cause.in_body.has_value() && !cause.overflow &&
           checked.honest[Index(r)];
  });
  return causes;
}

}  // namespace onnxcmp
