#include "compare/causes/cause_truth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/weights.h"
#include "compare/causes/forced/shaken_value.h"
#include "compare/causes/runtime_blame.h"
#include "record/differences/infinity.h"
#include "record/differences/tensor_distance.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

bool IsFloats(const Value& value) {
  return value.is_tensor() && IsFloatingPoint(value.tensor().dtype());
}

// True if nine tenths of a difference vanish in double. Both sides start from values that are
// already rounded, so a little stays.
bool MostlyAgreesInDouble(const Cause& cause) {
  const double apart = cause.local.has_value() ? cause.local->values.max_absolute : 0;
  return *cause.most_apart <= 0.1 * apart;
}

}  // namespace

Value CauseTruth::RightEntry(int r) const {
  const ForcedResult& result = state_.at(r);
  // The left's own value: in a coarser type of the right it would already be rounded.
  if (!IsFloats(result.held)) return result.held;
  const absl::StatusOr<Value> exact = ConvertedTo(
      result.match == kNone ? result.held : run_.left().value(result.match), DType::kDouble,
      result.held.tensor().shape(), {run_.left().pool(), run_.memory()});
  return exact.ok() ? *exact : result.held;
}

const Value& CauseTruth::OwnOf(int r) const {
  return state_.at(r).own.empty() ? state_.at(r).held : state_.at(r).own;
}

const std::optional<CauseTruth::Exact>& CauseTruth::ExactOf(int r) {
  if (r != exact_of_) {
    exact_ = RunExact(r, [](SideId, int, const Value& value) { return value; });
    exact_of_ = r;
  }
  return exact_;
}

std::optional<CauseTruth::Exact> CauseTruth::RunExact(int r, Replacement replace) {
  const ValueClasses& left = run_.left();
  const ForcedResult& result = state_.at(r);
  const int c = result.match;
  if (!run_.right().IsComputed(r) || !left.computed(c)) return std::nullopt;
  if (!IsFloats(OwnOf(r)) || !IsFloats(left.value(c))) return std::nullopt;
  const SideGraph* left_graph = in_double_.Graph(SideId::kLeft);
  const SideGraph* right_graph = in_double_.Graph(SideId::kRight);
  if (left_graph == nullptr || right_graph == nullptr) return std::nullopt;
  const auto on = [&](SideId side) {
    return [&replace, side](int read, const Value& value) { return replace(side, read, value); };
  };
  const Value absent;
  const Value a = RunRegion(
      *left_graph, noise_.LeftRegion(c), left.representative(c),
      [&](int read) {
        const int of = left.of(read);
        return replace(SideId::kLeft, read, of == kNone ? absent : left.value(of));
      },
      on(SideId::kLeft));
  const Value b = RunRegion(
      *right_graph, noise_.RightRegion(r), r,
      [&](int read) { return replace(SideId::kRight, read, RightEntry(read)); },
      on(SideId::kRight));
  const auto fits = [](const Value& own, const Value& in_double) {
    return IsFloats(in_double) && in_double.tensor().num_elements() == own.tensor().num_elements();
  };
  if (!fits(left.value(c), a) || !fits(OwnOf(r), b)) return std::nullopt;
  return Exact{a.tensor(), b.tensor()};
}

void CauseTruth::Judge(int r, Cause* cause) {
  if (cause->kind == CauseKind::kInitializer || cause->kind == CauseKind::kInput) return;
  if (DrawsInRuntime(run_.right(), cause->right)) return;
  const std::optional<Exact>& exact = ExactOf(r);
  if (!exact.has_value()) return;
  const auto& [a, b] = *exact;
  const ForcedResult& result = state_.at(r);
  const ThreadPool* pool = run_.left().pool();
  if (a.num_elements() != b.num_elements()) return;
  const TruthDistance apart = TruthDistanceOf(b, a, pool);
  cause->apart = apart.scale > 0 ? apart.max_absolute / apart.scale : apart.max_absolute;
  cause->most_apart = apart.max_absolute;
  // If the two compute different functions, neither is nearer to what the other should give.
  if (!MostlyAgreesInDouble(*cause)) return;
  cause->truth = JudgeTruth(TruthDistanceOf(run_.left().value(result.match).tensor(), a, pool),
                            TruthDistanceOf(result.own.tensor(), b, pool));
}

bool CauseTruth::IsApartInDouble(int r) {
  const std::optional<Exact>& exact = ExactOf(r);
  return exact.has_value() &&
         StaysApart({run_.left().value(state_.at(r).match).tensor(), OwnOf(r).tensor()},
                    {exact->left, exact->right}, run_.left().pool()) &&
         !RoundsFoldedNumbers(r, *exact);
}

bool CauseTruth::RoundsFoldedNumbers(int r, const Exact& exact) {
  const std::vector<double> left = ElementsOf(exact.left);
  const std::vector<double> right = ElementsOf(exact.right);
  if (left.size() != right.size()) return false;
  std::vector<double> noise(left.size());
  for (uint64_t seed = 0; seed < RegionNoise::kSeeds; ++seed) {
    bool moves = false;
    const auto moved_constants = [&](SideId side, int read, const Value& value) {
      const bool folded = noise_.GraphOf(side).IsConstant(read) &&
                          !noise_.HasCounterpart(side, read) && IsFloats(value);
      if (!folded) return value;
      moves = true;
      const double epsilon = EpsilonOf(noise_.GraphOf(side).result(read).dtype);
      return Shake(value, epsilon, HashOf(seed, static_cast<uint64_t>(read)), run_.left().pool(),
                   run_.memory());
    };
    const std::optional<Exact> moved = RunExact(r, moved_constants);
    if (!moves || !moved.has_value()) return false;
    const std::vector<double> of_left = ElementsOf(moved->left);
    const std::vector<double> of_right = ElementsOf(moved->right);
    if (of_left.size() != left.size() || of_right.size() != left.size()) return false;
    for (size_t i = 0; i < noise.size(); ++i) {
      const double by = std::abs(of_left[i] - left[i]) + std::abs(of_right[i] - right[i]);
      noise[i] = std::max(noise[i], by < kInfinity ? by : 0);
    }
  }
  double squares = 0;
  for (const double by : noise) squares += by * by;
  const double rms = std::sqrt(squares / static_cast<double>(std::max<size_t>(noise.size(), 1)));
  for (size_t i = 0; i < noise.size(); ++i) {
    const double apart = left[i] == right[i] ? 0 : std::abs(left[i] - right[i]);
    if (!(apart <= RegionNoise::kRatioInDouble * std::max(noise[i], rms))) return false;
  }
  return true;
}

bool CauseTruth::ComesToOwnWith(int r, bool relative,
                                absl::FunctionRef<Value(int, const Value&)> replace) {
  const std::optional<Exact> exact = RunExact(r, [&](SideId side, int read, const Value& value) {
    return side == SideId::kLeft ? value : replace(read, value);
  });
  if (!exact.has_value()) return false;
  const std::vector<double> own = ElementsOf(OwnOf(r).tensor());
  const std::vector<double> left = ElementsOf(exact->left);
  const std::vector<double> right = ElementsOf(exact->right);
  if (left.size() != own.size() || right.size() != own.size()) return false;
  int64_t broken = 0;
  int64_t explained = 0;
  double apart = 0;
  double open = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    if (!std::isfinite(left[i])) continue;
    if (!std::isfinite(own[i])) {
      ++broken;
      explained += std::isfinite(right[i]) ? 0 : 1;
      continue;
    }
    const auto from_own = [&](double v) {
      const double size = relative ? std::max(std::abs(own[i]), std::abs(v)) : 1;
      return own[i] == v ? 0 : std::abs(own[i] - v) / size;
    };
    apart = std::max(apart, from_own(left[i]));
    open = std::max(open, std::isfinite(right[i]) ? from_own(right[i]) : kInfinity);
  }
  return broken > 0 ? 2 * explained >= broken : open < 0.5 * apart;
}

bool CauseTruth::MayBeApartInDouble(int r) {
  return !IsFloats(state_.at(r).own) || IsApartInDouble(r);
}

std::string TruthText(const Cause& cause) {
  std::string text;
  if (cause.truth.has_value() && cause.truth->nearer != Nearer::kEqual) {
    text = absl::StrCat(NearerText(*cause.truth), " to the truth");
  }
  if (!cause.most_apart.has_value()) return text;
  // Any difference that stays in double is not rounding, however small it is.
  const bool gone = *cause.apart <= weights::kAgree && MostlyAgreesInDouble(cause);
  absl::StrAppend(
      &text, text.empty() ? "" : "; ",
      gone ? "in double both agree"
           : absl::StrCat("in double they still differ by up to ", TwoDigits(*cause.most_apart)));
  return text;
}

}  // namespace onnxcmp
