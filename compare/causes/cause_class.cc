#include "compare/causes/cause_class.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/causes/cause_text.h"
#include "record/base/thresholds.h"
#include "record/differences/mask_numbers.h"
#include "record/differences/number_strips.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

// Largest relative error that still counts as an approximation of the same function.
constexpr double kApproximation = 3e-3;
// The same with weights of three bits or fewer.
constexpr double kHonestOfFewBits = 0.55;

struct Contents {
  std::multiset<std::string> operators;  // without those that only move elements
  bool quantizes = false;
  int64_t fewest_bits = 8;   // for packed weights and other integers
  int roundings = 0;         // number of results that are 8-bit integers
  double coarsest = 0;       // greatest epsilon among its float types
  std::set<float> epsilons;  // epsilons of its normalizations, whatever their operators are called
};

Contents ContentsOf(const SideGraph& graph, const Region& region) {
  Contents contents;
  // One of the two casts may already be paired.
  for (const int r : region.entries) {
    if (graph.IsComputed(r)) {
      contents.coarsest = std::max(contents.coarsest, EpsilonOf(graph.result(r).dtype));
    }
  }
  for (const int n : region.nodes) {
    const StreamNode& made = *graph.node(n).made;
    // Moved elements are not another way to compute them.
    if (!HasTrait(made, OperatorTrait::kReorders)) contents.operators.insert(made.op_type);
    if (Quantizes(made.op_type)) {
      contents.quantizes = true;
      contents.fewest_bits = std::min(contents.fewest_bits, made.bits);
    }
    if (const Node* node = graph.node(n).node; node != nullptr) {
      const auto* const epsilon = AttributeOf<float>(*node, "epsilon");
      if (epsilon != nullptr) contents.epsilons.insert(*epsilon);
    }
    for (const int r : made.outputs) {
      if (r == kNone) continue;
      contents.coarsest = std::max(contents.coarsest, EpsilonOf(graph.result(r).dtype));
      if (IsInteger(graph.result(r).dtype) && BitWidth(graph.result(r).dtype) == 8) {
        ++contents.roundings;
      }
    }
  }
  return contents;
}

// True if 8-bit integers differ by at most a step. Each earlier rounding to 8 bits may add steps in
// a few elements.
bool AreStepsApart(const Measured& a, const Measured& b, int roundings) {
  if (a.size != b.size) return false;
  const double most = std::clamp(2 * roundings - 1, 1, 5);
  int64_t farther = 0;
  bool within = true;
  ForEachStrip(NumberReader(a.tensor), NumberReader(b.tensor), 0, a.size,
               [&](int64_t, int64_t count, const double* x, const double* y) {
                 for (int64_t i = 0; i < count; ++i) {
                   const double steps = std::abs(x[i] - y[i]);
                   farther += steps > 1 ? 1 : 0;
                   within = within && steps <= most;
                 }
                 return within;
               });
  return within &&
         static_cast<double>(farther) <= thresholds::kFewElements * static_cast<double>(a.size);
}

// True if one side has the exact form of Gelu and the other the tanh form.
bool AreFormsOfGelu(const Contents& a, const Contents& b) {
  const auto holds = [](const Contents& contents, absl::Span<const absl::string_view> names) {
    return absl::c_any_of(names, [&](absl::string_view name) {
      return contents.operators.count(std::string(name)) > 0;
    });
  };
  static constexpr absl::string_view kExact[] = {"BiasGelu", "Erf", "Gelu"};
  static constexpr absl::string_view kApproximate[] = {"FastGelu", "Gelu", "Tanh"};
  return (holds(a, kExact) && holds(b, kApproximate)) ||
         (holds(b, kExact) && holds(a, kApproximate));
}

// True if two regions of different operators compute different functions, however close: rounding
// and another order of the same sums leave no trace in double. Constants of a coarser type and
// quantized integers keep their rounding there, so in those only different epsilons prove it.
bool ComputeSomethingElse(const Contents& ours, const Contents& theirs, bool known_form, int right,
                          CauseTruth* truth) {
  if (ours.quantizes || theirs.quantizes) return false;
  const bool other_epsilon =
      !ours.epsilons.empty() && !theirs.epsilons.empty() && ours.epsilons != theirs.epsilons;
  const bool fine =
      std::max(ours.coarsest, theirs.coarsest) <= EpsilonOf(DType::kFloat) && !known_form;
  return (other_epsilon || fine) && truth->IsApartInDouble(right);
}

}  // namespace

bool IsWrong(const Cause& cause) { return IsMistake(cause.kind); }

bool IsAnotherMask(const SideGraph& right, int r, const ForcedResult& result) {
  return right.IsConstant(r) && IsMeasurable(result.held) && IsMeasurable(result.own) &&
         DifferInMasksAlone(result.held.tensor(), result.own.tensor());
}

CauseClass ClassOf(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                   int right, const RegionNoise::NoiseRatio& noise_ratio, CauseTruth* truth) {
  CauseClass found;
  const SideGraph& graph = run.right();
  const ForcedResult& result = state.at(right);
  if (!graph.IsComputed(right)) {
    found.kind = graph.IsConstant(right) ? CauseKind::kInitializer : CauseKind::kInput;
  }
  if (!IsMeasurable(result.own) || !IsMeasurable(result.held)) return found;
  const Contents theirs = ContentsOf(graph, noise.RightRegion(right));
  const Contents ours = run.left().computed(result.match)
                            ? ContentsOf(run.left().graph(), noise.LeftRegion(result.match))
                            : Contents();
  if (theirs.operators == ours.operators) return found;
  const std::string operators =
      absl::StrCat(absl::StrJoin(ours.operators, "+"), " | ", absl::StrJoin(theirs.operators, "+"));
  const double epsilon =
      CoarserEpsilon(run.left().result(result.match).dtype, result.own.tensor().dtype());
  const double honest = std::min(ours.fewest_bits, theirs.fewest_bits) <= 3
                            ? kHonestOfFewBits
                            : thresholds::kMostHonestNoise;
  if (ours.quantizes != theirs.quantizes && run.RelativeRmsOf(result) <= honest) {
    found.kind = CauseKind::kQuantization;
    found.operators = operators;
    // An 8-bit step is 4e-3 of the greatest element.
    constexpr double kLessThanAStep = 1e-3;
    found.of_params = IsQuantized(run.left().graph().stream()) && IsQuantized(graph.stream()) &&
                      noise_ratio.distance <= kLessThanAStep;
    return found;
  }
  if (!graph.IsComputed(right)) return found;
  const double coarsest = std::max(ours.coarsest, theirs.coarsest);
  if (epsilon > 0 && ours.coarsest != theirs.coarsest && coarsest > epsilon &&
      noise_ratio.distance <= 4 * coarsest) {
    found.kind = CauseKind::kPrecision;
    return found;
  }
  bool approximation = epsilon > 0 && noise_ratio.distance <= kApproximation;
  // Booleans have no steps.
  if (IsInteger(result.own.tensor().dtype()) && BitWidth(result.own.tensor().dtype()) == 8) {
    const Measured own = run.MeasuredOwn(result);
    const Measured held = run.MeasuredHeld(result);
    approximation = AreStepsApart(own, held, std::max(ours.roundings, theirs.roundings));
    found.of_params = ours.quantizes && theirs.quantizes && AreStepsApart(own, held, 1);
  }
  const bool known_form = epsilon > 0 && AreFormsOfGelu(ours, theirs);
  if (approximation && !ComputeSomethingElse(ours, theirs, known_form, right, truth)) {
    found.kind = CauseKind::kApproximation;
    found.operators = operators;
    found.known_form = known_form;
  }
  return found;
}

void SortByEffect(std::vector<Cause>* causes) {
  const auto rank = [](const Cause& cause) {
    return std::tuple(IsWrong(cause), cause.effect.value_or(0), cause.overflow);
  };
  absl::c_stable_sort(*causes, [&](const Cause& a, const Cause& b) { return rank(a) > rank(b); });
}

}  // namespace onnxcmp
