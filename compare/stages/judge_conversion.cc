#include "compare/stages/judge_conversion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/cause.h"
#include "compare/outputs/find_ties.h"
#include "compare/outputs/rulings.h"
#include "compare/quantization/dequantized_view.h"
#include "compare/quantization/quantization_error.h"
#include "evaluator/base/status_macros.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/infinity.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/differences/whole_errors.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

// In decibels. `honest`: no suspect leads to the output.
double LeastOf(const Conversion& conversion, bool honest) {
  // Steps of integers explain nothing of a node that is another.
  if (conversion.both || (conversion.quantized && !honest)) {
    return thresholds::kLeastDecibelsOfFloat16;
  }
  if (conversion.quantized) {
    return conversion.few_bits ? thresholds::kLeastDecibelsOfFewBits
                               : thresholds::kLeastDecibelsOf8Bits;
  }
  return conversion.epsilon == EpsilonOf(DType::kBfloat16) ? thresholds::kLeastDecibelsOfBfloat16
                                                           : thresholds::kLeastDecibelsOfFloat16;
}

bool AreFiniteAlike(const Tensor& a, const Tensor& b) {
  constexpr double kFill = thresholds::kMaskMagnitudeOfFloat16;
  bool alike = true;
  ForEachStrip(NumberReader(a), NumberReader(b), 0, a.num_elements(),
               [&](int64_t, int64_t count, const double* x, const double* y) {
                 for (int64_t i = 0; i < count; ++i) {
                   // Fills of masks may be infinite in one of both types.
                   const bool fill = x[i] < -kFill && y[i] < -kFill;
                   alike = alike && (std::isfinite(x[i]) == std::isfinite(y[i]) || fill);
                 }
                 return alike;
               });
  return alike;
}

int ResultOn(SideId side, const OutputPair& pair) {
  return side == SideId::kLeft ? pair.left_result : pair.right_result;
}

bool IsHonestPair(const CheckedConversion& checked, const OutputPair& pair) {
  const SideId converted = checked.conversion.converted;
  return !pair.recorded && pair.left_result != kNone && pair.right_result != kNone &&
         checked.IsHonestOutput(ResultOn(Other(converted), pair), ResultOn(converted, pair));
}

// A pair whose values can be compared by their signal to noise.
struct FloatPair {
  Tensor left;
  Tensor right;
};

std::optional<FloatPair> FloatsOf(const PerSide<std::vector<NamedOutput>>& outputs,
                                  const OutputPair& pair) {
  if (pair.recorded || !pair.difference.reason.empty()) return std::nullopt;
  const Value left = ValueOf(outputs.left, pair.left_result);
  const Value right = ValueOf(outputs.right, pair.right_result);
  if (!IsMeasurable(left) || !IsMeasurable(right)) return std::nullopt;
  const Tensor& a = left.tensor();
  const Tensor& b = right.tensor();
  if (!IsFloatingPoint(a.dtype()) || !IsFloatingPoint(b.dtype()) || a.shape() != b.shape()) {
    return std::nullopt;
  }
  return FloatPair{a, b};
}

void Refuse(double least, OutputPair* pair) {
  Rule(Ground::kSignalToNoise,
       absl::StrFormat("their signal to noise is %.1f dB, below %.4g dB", *pair->sqnr, least),
       pair);
}

// The tolerance of a type does not excuse what a suspect does to an output.
void RefuseIfFaulty(const CheckedConversion& checked, OutputPair* pair) {
  const int r = ResultOn(checked.conversion.converted, *pair);
  const double least = LeastOf(checked.conversion, /*honest=*/false);
  if (pair->recorded || r == kNone || !checked.faulty[Index(r)] || !pair->agrees()) return;
  if (pair->sqnr.has_value() && *pair->sqnr < least) Refuse(least, pair);
}

class ConversionJudge {
 public:
  ConversionJudge(const CheckedConversion& checked, const PerSide<RecordedSide>& sides,
                  const PerSide<std::vector<NamedOutput>>& outputs, const ConversionLimits& limits,
                  const StepTools& tools)
      : checked_(checked), sides_(sides), outputs_(outputs), limits_(limits), tools_(tools) {}

  absl::Status Judge(const std::optional<FloatPair>& floats, OutputPair* pair) {
    if (floats.has_value() && !AreFiniteAlike(floats->left, floats->right)) return absl::OkStatus();
    const int r = ResultOn(converted(), *pair);
    const int choice = checked_.chosen_by[Index(r)];
    // Steps of integers may move an output as far as another choice does; a short float does not.
    const bool noise = choice == kNone || (checked_.conversion.quantized && floats.has_value() &&
                                           IsNoise(*floats, *pair->sqnr));
    if (floats.has_value() && noise) {
      JudgeNoise(*floats, choice, pair);
      return absl::OkStatus();
    }
    return choice == kNone || pair->agrees() ? absl::OkStatus() : JudgeChoice(r, choice, pair);
  }

 private:
  SideId converted() const { return checked_.conversion.converted; }

  std::string TypeName() const {
    if (checked_.conversion.quantized) return "quantization";
    return checked_.conversion.epsilon == EpsilonOf(DType::kBfloat16) ? "bfloat16" : "float16";
  }

  // Decibels that noise must leave; a limit that is given holds for all outputs, honest or not.
  double Least() const {
    if (limits_.min_sqnr.has_value() || limits_.other_inputs) return -kInfinity;
    return LeastOf(checked_.conversion, /*honest=*/true);
  }

  bool IsNoise(const FloatPair& floats, double decibels) const {
    return decibels >= Least() && LostPartOf(floats.left, floats.right, tools_.pool).empty();
  }

  // True if an output is as near as the steps of its own integers can hold probabilities: of those
  // below half a step nothing is left, and signal to noise tells nothing.
  bool IsWithinStepOfProbability(const OutputPair& pair) const {
    const ResultStream& plain = *sides_[Other(converted())].stream;
    const ResultStream& own = *sides_[converted()].stream;
    const StreamResult& shown = plain.results[Index(ResultOn(Other(converted()), pair))];
    const int r = own.results[Index(ResultOn(converted(), pair))].source;
    if (shown.source == kNone || r == kNone || own.results[Index(r)].node == kNone) return false;
    const std::string& op_type = OpTypeOf(plain.results[Index(shown.source)], plain);
    const StreamNode& made = own.nodes[Index(own.results[Index(r)].node)];
    if ((op_type != "Sigmoid" && op_type != "Softmax") || made.op_type != "DequantizeLinear" ||
        made.inputs[1] == kNone) {
      return false;
    }
    const Fingerprint& scale = own.results[Index(made.inputs[1])].fingerprint;
    if (scale.size != 1 || !scale.has_sketch) return false;
    const double step = scale.numbers().statistics.max;
    // From 0 to 1 in 8 bits, and half a step with the rounding of floats.
    return step <= 1.02 / 255 && pair.difference.max_absolute <= 0.505 * step;
  }

  void JudgeNoise(const FloatPair& floats, int choice, OutputPair* pair) const {
    if (*pair->sqnr < Least() && !IsWithinStepOfProbability(*pair)) {
      if (!pair->agrees()) Refuse(Least(), pair);
      return;
    }
    if (!pair->agrees()) {
      // Noise that destroys a class or a score is too much, even if it is honest.
      if (std::string lost = LostPartOf(floats.left, floats.right, tools_.pool); !lost.empty()) {
        Rule(Ground::kLostPart, std::move(lost), pair);
        return;
      }
      Rule(Ground::kHonestNoise, "", pair);
    }
    pair->difference.fault = "";
    pair->difference.beyond = 0;
    pair->honest_noise = true;
    pair->within_own = false;
    pair->tolerance_reason =
        absl::StrFormat("%s on the %s: none of its %d nodes is farther off than rounding explains",
                        TypeName(), SideName(converted()), checked_.nodes);
    if (choice == kNone) return;
    absl::StrAppend(&pair->tolerance_reason, "; ", NameOf(choice), " chose otherwise");
  }

  std::string NameOf(int choice) const {
    const StreamResult& chosen = sides_[converted()].result(choice);
    return absl::StrCat(OpTypeOf(chosen, *sides_[converted()].stream), " ", chosen.name);
  }

  // Numbers that were chosen by others which rounding has moved, or that depend on such.
  absl::Status JudgeChoice(int r, int choice, OutputPair* pair) {
    if (!followed_.has_value()) {
      OC_ASSIGN_OR_RETURN(
          followed_, FollowChoices(sides_, converted(), checked_.choices,
                                   {.keep_values = tools_.keep_values, .watch = tools_.watch}));
    }
    if (sides_[converted()].result(r).source != choice) pair->chosen_by = NameOf(choice);
    for (size_t i = 0; i < checked_.choices.size(); ++i) {
      if (OfSide(checked_.choices[i], converted()) == choice) pair->margin = followed_->margins[i];
    }
    const std::vector<NamedOutput>& named = outputs_[converted()];
    for (size_t i = 0; i < std::min(named.size(), followed_->outputs.size()); ++i) {
      if (named[i].result == r && !AgreesThen(followed_->outputs[i], pair)) return absl::OkStatus();
    }
    pair->ties = true;
    if (limits_.ties_agree) Rule(Ground::kTies, pair->chosen_by, pair);
    return absl::OkStatus();
  }

  // True if the plain side's output is that of the converted side, run with the same choices.
  bool AgreesThen(const Value& again, OutputPair* pair) const {
    const SideId plain_id = Other(converted());
    const Value plain = ValueOf(outputs_[plain_id], ResultOn(plain_id, *pair));
    if (!IsMeasurable(plain) || !IsMeasurable(again) || !IsFloatingPoint(plain.tensor().dtype())) {
      return ContentOf(plain) == ContentOf(again);
    }
    const FloatPair floats = {plain.tensor(), again.tensor()};
    if (floats.left.shape() != floats.right.shape() || !AreFiniteAlike(floats.left, floats.right)) {
      return false;
    }
    pair->sqnr_with_ids = Decibels(
        NoiseStatsOf(DequantizedView(floats.left), DequantizedView(floats.right), tools_.pool)
            .noise);
    const double least = limits_.min_sqnr.value_or(Least());
    if (*pair->sqnr_with_ids >= least && IsNoise(floats, *pair->sqnr_with_ids)) return true;
    Rule(Ground::kSignalToNoise,
         absl::StrFormat("with the choices of the %s their signal to noise is %.1f dB, too little",
                         SideName(plain_id), *pair->sqnr_with_ids),
         pair);
    return false;
  }

  const CheckedConversion& checked_;
  const PerSide<RecordedSide>& sides_;
  const PerSide<std::vector<NamedOutput>>& outputs_;
  const ConversionLimits& limits_;
  const StepTools& tools_;
  std::optional<FollowedChoices> followed_;
};

// Causes stay where everything is honest and floats of 16 bits differ all the same: then the
// rounding of a node is the cause.
bool KeepsAll(const CheckedConversion& checked, const OutputComparison& judged) {
  return !judged.agree() && checked.suspects.empty() && !checked.conversion.quantized;
}

CauseReview ReviewOf(const CheckedConversion& checked, const OutputComparison& judged) {
  return [&](const Cause& cause) -> std::optional<Veto> {
    const int r = OfSide(cause, checked.conversion.converted);
    if (!judged.agree() && absl::c_linear_search(checked.lossy, r)) return std::nullopt;
    // Noise of the type is no cause.
    const bool is_noise = checked.conversion.quantized && cause.kind == CauseKind::kQuantization &&
                          !absl::c_linear_search(checked.suspects, r);
    const bool is_honest = r != kNone && !cause.in_body.has_value() && !cause.overflow &&
                           checked.honest[Index(r)] && !checked.overflows[Index(r)];
    return is_noise || is_honest ? std::optional(Veto::kHonestConversion) : std::nullopt;
  };
}

std::vector<Cause> CausesOfSuspects(const CheckedConversion& checked,
                                    const PerSide<RecordedSide>& sides) {
  std::vector<Cause> causes;
  for (size_t i = 0; i < checked.suspects.size() && causes.size() < work_bounds::kNamed; ++i) {
    const bool left = checked.conversion.converted == SideId::kLeft;
    Cause& cause = causes.emplace_back();
    cause.left = left ? checked.suspects[i] : checked.suspects_of[i];
    cause.right = left ? checked.suspects_of[i] : checked.suspects[i];
    cause.judged = cause.right;
    cause.text = "on its own inputs the converted one is farther off than rounding explains";
    if (cause.left == kNone || cause.right == kNone) {
      causes.pop_back();
      continue;
    }
    if (sides.right.result(cause.right).kind == ResultKind::kInitializer) {
      cause.text = "the converted constant is not the other one, rounded to its steps";
      continue;
    }
    const std::string& ours = OpTypeOf(sides.left.result(cause.left), *sides.left.stream);
    const std::string& theirs = OpTypeOf(sides.right.result(cause.right), *sides.right.stream);
    if (ours != theirs) absl::StrAppend(&cause.text, "; operator: ", ours, " | ", theirs);
  }
  return causes;
}

}  // namespace

absl::StatusOr<OutputComparison> JudgeConversion(const std::optional<CheckedConversion>& checked,
                                                 const PerSide<RecordedSide>& sides,
                                                 const PerSide<std::vector<NamedOutput>>& outputs,
                                                 const ConversionLimits& limits,
                                                 const StepTools& tools, OutputComparison judged) {
  if (!checked.has_value() && !limits.min_sqnr.has_value()) return judged;
  std::optional<ConversionJudge> judge;
  if (checked.has_value()) judge.emplace(*checked, sides, outputs, limits, tools);
  const bool left = checked.has_value() && checked->conversion.converted == SideId::kLeft;
  for (OutputPair& pair : judged.pairs) {
    if (pair.same_bits) continue;
    const std::optional<FloatPair> floats = FloatsOf(outputs, pair);
    if (floats.has_value()) {
      const DequantizedView signal(left ? floats->right : floats->left);
      const DequantizedView noisy(left ? floats->left : floats->right);
      pair.sqnr = Decibels(NoiseStatsOf(signal, noisy, tools.pool).noise);
    }
    const bool given = limits.given_tolerance || pair.tolerance_reason == "--tolerance";
    if (checked.has_value() && !given && IsHonestPair(*checked, pair)) {
      OC_RETURN_IF_ERROR(judge->Judge(floats, &pair));
    } else if (checked.has_value() && !given && !limits.other_inputs) {
      RefuseIfFaulty(*checked, &pair);
    }
    // Where other choices are accepted, they are no noise.
    const bool accepted = limits.ties_agree && pair.ties;
    const std::optional<double>& decibels = accepted ? pair.sqnr_with_ids : pair.sqnr;
    if (decibels.has_value() && limits.min_sqnr.has_value() && *decibels < *limits.min_sqnr) {
      Refuse(*limits.min_sqnr, &pair);
    }
  }
  return judged;
}

double LeastSignalToNoise(const Conversion& conversion, const std::optional<double>& asked) {
  return asked.value_or(LeastOf(conversion, /*honest=*/true));
}

bool IsHonest(const std::optional<CheckedConversion>& checked, const OutputComparison& judged) {
  // Noise of integers that is too much has no cause but the integers.
  const auto is_noise = [&](const OutputPair& pair) {
    return checked->conversion.quantized && checked->lossy.empty() &&
           IsDecidedBy(Ground::kSignalToNoise, pair);
  };
  return checked.has_value() && checked->suspects.empty() && !judged.pairs.empty() &&
         !absl::c_linear_search(checked->overflows, true) &&
         absl::c_all_of(judged.pairs, [&](const OutputPair& pair) {
           return pair.same_bits ||
                  (IsHonestPair(*checked, pair) && (pair.agrees() || pair.ties || is_noise(pair)));
         });
}

void ReviewByConversion(const std::optional<CheckedConversion>& checked,
                        const OutputComparison& judged, const PerSide<RecordedSide>& sides,
                        bool asked, ReviewedCauses* reviewed) {
  if (!checked.has_value() || !asked) return;
  if (!KeepsAll(*checked, judged)) {
    Dismiss(ReviewOf(*checked, judged), &reviewed->causes, &reviewed->dismissed);
  }
  if (judged.agree() || checked->suspects.empty()) return;
  // A fault moves numbers beyond the ranges after it, which may look like another one.
  const int first = checked->suspects.front();
  const ResultStream& stream = *sides[checked->conversion.converted].stream;
  const bool found = absl::c_any_of(reviewed->causes, [&](const Cause& cause) {
    const int r = OfSide(cause, checked->conversion.converted);
    if (r == kNone || r <= first) return r != kNone;
    const int n = stream.results[Index(r)].node;
    return n != kNone && absl::c_linear_search(stream.nodes[Index(n)].inputs, first);
  });
  if (found) return;
  std::vector<Cause> of_suspects = CausesOfSuspects(*checked, sides);
  if (!of_suspects.empty()) reviewed->causes = std::move(of_suspects);
}

}  // namespace onnxcmp
