#include "compare/causes/forced/region_noise.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/forced/coarse_numbers.h"
#include "compare/causes/forced/shaken_value.h"
#include "evaluator/tensor/convert.h"
#include "record/differences/infinity.h"
#include "record/differences/number_strips.h"
#include "record/graphs/coarse_side.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Epsilons that are rounding in any region: the result's own last place is moved by one, which
// alone makes the ratio less than the greatest unless most elements are zero.
constexpr double kAlwaysRounding = RegionNoise::kMaxRatio / 2;

// Distances from `a` that the elements of a strip may have: that of their own movement, of most
// movements, or of their last place.
struct Expected {
  const double* a;
  const double* noise;
  double rms;
  double half_epsilon;
  double least_size;

  double at(int64_t i) const {
    const double last_place = half_epsilon * std::max(std::abs(a[i]), least_size);
    return std::max(std::max(noise[i], rms), last_place);
  }
  // Number of elements of `b` beyond `ratio` times that. Infinities must be at the same positions,
  // or masks.
  int64_t CountBeyond(const double* b, int64_t count, double ratio) const {
    int64_t beyond = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double difference = std::abs(b[i] - a[i]);
      beyond += ((difference > ratio * at(i)) & (difference < kInfinity)) ? 1 : 0;
    }
    return beyond;
  }
};

// True if `rounded` is `exact` in a 16-bit type that the model computes in.
bool IsRounded(const Measured& rounded, const Measured& exact, const SideGraph& graph) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    if (!absl::c_any_of(graph.results(), [&](int r) {
          return graph.IsComputed(r) && graph.result(r).dtype == dtype;
        })) {
      continue;
    }
    bool equal = true;
    alignas(16) std::byte stored[2 * kNumberStrip];
    ForEachStrip(NumberReader(rounded.tensor), NumberReader(exact.tensor), 0, exact.size,
                 [&](int64_t, int64_t count, const double* a, const double* b) {
                   double expected[kNumberStrip];
                   StoreElements<double>(dtype, b, count, stored, 0);
                   LoadElements<double>(dtype, stored, 0, count, expected);
                   equal = std::equal(a, a + count, expected);
                   return equal;
                 });
    if (equal) return true;
  }
  return false;
}

}  // namespace

RegionNoise::RegionNoise(const ForcedRun& run, const ForcedState& state)
    : run_(run),
      state_(state),
      pool_(run.left().pool()),
      matched_(static_cast<size_t>(run.left().size())),
      coarse_{ComputesInSixteenBits(run.left().graph()), ComputesInSixteenBits(run.right())} {
  for (const int r : run.right().results()) {
    if (state.at(r).match != kNone) matched_[static_cast<size_t>(state.at(r).match)] = true;
  }
}

Region RegionNoise::RightRegion(int r, size_t max_nodes) const {
  return RegionOf(
      run_.right(), r, [&](int read) { return state_.at(read).match != kNone; }, max_nodes);
}

Region RegionNoise::LeftRegion(int c, size_t max_nodes) const {
  const ValueClasses& left = run_.left();
  return RegionOf(
      left.graph(), left.representative(c),
      [&](int read) {
        const int of = left.of(read);
        return of == kNone || matched_[static_cast<size_t>(of)];
      },
      max_nodes);
}

const SideGraph& RegionNoise::GraphOf(SideId side) const {
  return side == SideId::kLeft ? run_.left().graph() : run_.right();
}

int RegionNoise::ClassOf(SideId side, int r) const {
  return side == SideId::kLeft ? run_.left().of(r) : state_.at(r).match;
}

bool RegionNoise::HasCounterpart(SideId side, int r) const {
  const int c = ClassOf(side, r);
  return c != kNone && (side == SideId::kRight || matched_[static_cast<size_t>(c)]);
}

const Value& RegionNoise::Entry(SideId side, int r) const {
  return side == SideId::kLeft ? run_.left().value_of(r) : state_.at(r).held;
}

Value RegionNoise::Shaken(SideId side, const Region& region, int result, double epsilon,
                          uint64_t seed) const {
  const SideGraph& graph = GraphOf(side);
  if (region.nodes.empty() || !graph.runs()) return Value();
  // Both sides get the same entries. Constants are exact, but for those of one side alone: they
  // were folded of others, and rounded.
  const auto given = [&](int r) {
    const Value& entry = Entry(side, r);
    const bool folded = graph.IsConstant(r) && !HasCounterpart(side, r);
    if (entry.empty() || (graph.IsConstant(r) && !folded)) return entry;
    const auto of = static_cast<uint64_t>(folded ? r : ClassOf(side, r));
    return Shake(entry, epsilon, HashOf(seed, of), pool_, run_.memory());
  };
  const auto made = [&](int r, const Value& value) {
    const uint64_t of_side = side == SideId::kLeft ? 1 : 2;
    return Shake(value, epsilon, HashOf(seed, HashOf(of_side, uint64_t(r))), pool_, run_.memory());
  };
  Value shaken = RunRegion(graph, region, result, given, made);
  return IsMeasurable(shaken) ? shaken : Value();
}

bool RegionNoise::HasCoarser(SideId side, const Region& region, int result, double epsilon) const {
  const SideGraph& graph = GraphOf(side);
  for (const int n : region.nodes) {
    for (const int r : graph.node(n).made->outputs) {
      if (r != kNone && r != result && EpsilonOf(graph.result(r).dtype) > epsilon) return true;
    }
  }
  return false;
}

RegionNoise::Elements RegionNoise::Noise(int r, double epsilon, double steps,
                                         absl::FunctionRef<bool(Elements, bool)> is_enough) const {
  const ValueClasses& left = run_.left();
  const int c = state_.at(r).match;
  const int l = left.representative(c);
  const Region right_region = RightRegion(r);
  const Region left_region = left.computed(c) ? LeftRegion(c) : Region();
  const bool coarser_left = HasCoarser(SideId::kLeft, left_region, l, epsilon);
  const bool coarser_right = HasCoarser(SideId::kRight, right_region, r, epsilon);
  // The noise moves our interpreter's value: a runtime's own value is no measure of that.
  const Value plain_right =
      run_.right().runner() == nullptr
          ? state_.at(r).own
          : RunRegion(run_.right(), right_region, r,
                      [&](int entry) -> const Value& { return Entry(SideId::kRight, entry); });
  const Value plain_left =
      left.graph().runner() == nullptr || left_region.nodes.empty()
          ? left.value(c)
          : RunRegion(left.graph(), left_region, l,
                      [&](int entry) -> const Value& { return Entry(SideId::kLeft, entry); });
  const int64_t size = NumberReader(state_.at(r).own.tensor()).size();
  noise_ = Tensor();  // frees its memory for the next
  absl::StatusOr<Tensor> allocated = Tensor::Allocate(DType::kDouble, {size}, run_.memory());
  if (!allocated.ok()) return {};
  noise_ = *std::move(allocated);
  const absl::Span<double> noise(noise_.mutable_data<double>(), static_cast<size_t>(size));
  absl::c_fill(noise, 0);
  const auto add = [&](const Value& shaken, const Value& plain) {
    if (shaken.empty() || !IsMeasurable(plain)) return;
    const NumberReader ours(shaken.tensor());
    const NumberReader theirs(plain.tensor());
    if (ours.size() != size || theirs.size() != size) return;
    ForEachNumberPiece(size, pool_, [&](int64_t, int64_t begin, int64_t end) {
      ForEachStrip(ours, theirs, begin, end,
                   [&](int64_t first, int64_t count, const double* a, const double* b) {
                     double* const of_strip = noise.data() + first;
                     for (int64_t i = 0; i < count; ++i) {
                       const double moved = std::abs(a[i] - b[i]);
                       const double finite = moved < kInfinity ? moved : 0;
                       of_strip[i] = std::max(of_strip[i], finite);
                     }
                     return true;
                   });
    });
  };
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    if (coarser_right <= coarser_left) {
      add(Shaken(SideId::kRight, right_region, r, steps * epsilon, seed), plain_right);
      if (is_enough(noise, seed > 0 || coarser_right < coarser_left)) return noise;
    }
    if (coarser_left <= coarser_right) {
      add(Shaken(SideId::kLeft, left_region, l, steps * epsilon, seed), plain_left);
      DropNoiseOfClamped(left.value(c).tensor(), state_.at(r).own.tensor(), noise);
      if (is_enough(noise, true)) return noise;
    }
  }
  return noise;
}

RegionNoise::Ratios RegionNoise::RatiosOf(const Measured& held, const Measured& own, double epsilon,
                                          Elements noise, double up_to) const {
  // The last place of a masked -1e9 exceeds all other elements.
  constexpr double kMasked = 64;
  std::vector<double> of_pieces(static_cast<size_t>(NumberPieces(own.size)));
  std::vector<int64_t> counts(of_pieces.size());
  const NumberReader ours(held.tensor);
  const NumberReader theirs(own.tensor);
  const double most = held.scale > 0 ? kMasked * held.scale : kInfinity;
  ForEachNumberPiece(own.size, pool_, [&](int64_t piece, int64_t begin, int64_t end) {
    double squares = 0;
    int64_t counted = 0;
    ForEachStrip(ours, begin, end, [&](int64_t first, int64_t count, const double* a) {
      const double* const of_strip = noise.data() + first;
      double square[kNumberStrip];
      for (int64_t i = 0; i < count; ++i) {
        const bool is_masked = !(std::abs(a[i]) <= most);
        square[i] = is_masked ? 0 : of_strip[i] * of_strip[i];
        counted += is_masked ? 0 : 1;
      }
      for (int64_t i = 0; i < count; ++i) squares += square[i];
    });
    of_pieces[static_cast<size_t>(piece)] = squares;
    counts[static_cast<size_t>(piece)] = counted;
  });
  double squares = 0;
  for (const double of_piece : of_pieces) squares += of_piece;
  const int64_t counted = absl::c_accumulate(counts, int64_t{0});
  const double rms = counted == 0 ? 0 : std::sqrt(squares / static_cast<double>(counted));
  std::vector<int64_t> far_of_pieces(of_pieces.size());
  ForEachNumberPiece(own.size, pool_, [&](int64_t piece, int64_t begin, int64_t end) {
    double greatest = 0;
    int64_t far = 0;
    ForEachStrip(
        ours, theirs, begin, end,
        [&](int64_t first, int64_t count, const double* a, const double* b) {
          const Expected expected = {a, noise.data() + first, rms, epsilon / 2, 1e-3 * held.scale};
          far += expected.CountBeyond(b, count, 16 * kMaxRatio);
          // Most strips need no division.
          if (expected.CountBeyond(b, count, greatest) == 0) return true;
          for (int64_t i = 0; i < count; ++i) {
            const double difference = std::abs(b[i] - a[i]);
            if (difference == 0 || !(difference < kInfinity)) continue;
            const double ratio = expected.at(i) > 0 ? difference / expected.at(i) : kInfinity;
            greatest = std::max(greatest, ratio);
          }
          return greatest <= up_to;
        });
    of_pieces[static_cast<size_t>(piece)] = greatest;
    far_of_pieces[static_cast<size_t>(piece)] = far;
  });
  Ratios ratios;
  for (const double of_piece : of_pieces) ratios.greatest = std::max(ratios.greatest, of_piece);
  const int64_t far = absl::c_accumulate(far_of_pieces, int64_t{0});
  // Another seed may move single elements much farther, but rarely so many of them.
  ratios.hopeless = far >= std::max<int64_t>(64, own.size / 64);
  return ratios;
}

double RegionNoise::EntryEpsilon(int r) const {
  const SideGraph& right = run_.right();
  const double epsilon = EpsilonOf(right.result(r).dtype);
  int n = right.producer(r);
  while (n != kNone && HasTrait(*right.node(n).made, OperatorTrait::kCopies) &&
         !right.Reads(n).empty()) {
    n = right.producer(right.Reads(n).front());
  }
  if (n == kNone || right.node(n).made->op_type != "Cast") return epsilon;
  // A cast to a coarser type excuses nothing after it: the cast itself may be at fault.
  for (const int read : right.Reads(n)) {
    const double before = EpsilonOf(right.result(read).dtype);
    if (before > 0 && before < epsilon) return before;
  }
  return epsilon;
}

double RegionNoise::CoarseEpsilon(SideId side, const Region& region) const {
  const SideGraph& graph = GraphOf(side);
  double epsilon = 0;
  for (const int n : region.nodes) {
    epsilon = std::max(epsilon, EpsilonOf(ComputedPrecision(*graph.node(n).made)));
  }
  if (side == SideId::kLeft ? !coarse_.left : !coarse_.right) return epsilon;
  const auto add = [&](int r) {
    if (r == kNone || BitWidth(graph.result(r).dtype) != 16) return;
    epsilon = std::max(epsilon, EpsilonOf(graph.result(r).dtype));
  };
  for (const int entry : region.entries) add(entry);
  for (const int n : region.nodes) {
    for (const int r : graph.node(n).made->outputs) add(r);
  }
  return epsilon;
}

bool RegionNoise::AgreesOnItsOwn(int r) const {
  const ValueClasses& left = run_.left();
  const auto is_overruled = [&](int entry) {
    const ForcedResult& result = state_.at(entry);
    if (!state_.fixed.contains(entry) || result.own.empty()) return false;
    if (left.Find(result.own_content) != kNone) return true;
    const int aligned = run_.aligned(entry) == kNone ? kNone : left.of(run_.aligned(entry));
    LazyMeasured measured;
    return aligned != kNone && aligned != result.match &&
           run_.IsNear(aligned, result.own, &measured);
  };
  const Region region = RightRegion(r);
  absl::flat_hash_set<int> overruled;
  for (const int entry : region.entries) {
    if (is_overruled(entry)) overruled.insert(entry);
  }
  if (overruled.empty()) return false;
  const Value made = RunRegion(run_.right(), region, r, [&](int entry) -> const Value& {
    return overruled.contains(entry) ? state_.at(entry).own : Entry(SideId::kRight, entry);
  });
  LazyMeasured measured;
  return IsMeasurable(made) && run_.IsNear(state_.at(r).match, made, &measured);
}

RegionNoise::NoiseRatio RegionNoise::JudgeConstant(int r) const {
  const ForcedResult& result = state_.at(r);
  const StreamResult& left = run_.left().result(result.match);
  Measured own = run_.MeasuredOwn(result);
  Measured held = run_.MeasuredHeld(result);
  held.dtype = left.dtype;
  // Both are read more than once.
  for (Measured* const measured : {&own, &held}) {
    measured->tensor = measured->tensor.InMemory(pool_).value_or(measured->tensor);
  }
  const DType dtype = run_.right().result(r).dtype;
  // In a type of 8 bits and less, nothing but a cast explains another number.
  const bool exact = left.dtype == dtype && BitWidth(dtype) <= 8;
  const double epsilon = exact ? 0 : CoarserEpsilon(left.dtype, dtype);
  NoiseRatio noise_ratio;
  noise_ratio.distance =
      epsilon == 0 ? 1 + UnequalShare(held.tensor, own.tensor, pool_) : Distance(held, own, pool_);
  // A model that computes in a 16-bit type may keep a constant in a wider one after rounding it.
  if (epsilon > 0 &&
      (IsRounded(own, held, run_.right()) || IsRounded(held, own, run_.left().graph()))) {
    return noise_ratio;
  }
  const bool in_float16 = left.dtype == DType::kFloat16 || dtype == DType::kFloat16;
  if (in_float16 && AreLeastStepsApart(own, held)) {
    return noise_ratio;
  }
  // A cast, a folded factor; in 16 bits one rounding of it on each side.
  const bool cast = left.dtype != dtype;
  const double steps = epsilon > EpsilonOf(DType::kFloat) && !cast ? 2 : 8;
  noise_ratio.ratio =
      epsilon == 0 ? kInfinity : noise_ratio.distance / (steps * epsilon) * kMaxRatio;
  return noise_ratio;
}

RegionNoise::NoiseRatio RegionNoise::JudgeIntegers(int r, const Measured& own,
                                                   const Measured& held) const {
  NoiseRatio noise_ratio;
  const double share = UnequalShare(held.tensor, own.tensor, pool_);
  noise_ratio.distance = share == 0 ? 0 : 1 + share;
  const double epsilon = EpsilonOf(DType::kFloat);
  const auto flips = [&](double steps) {
    const Elements noise = Noise(r, epsilon, steps, [](Elements, bool) { return false; });
    const auto count = std::count_if(noise.begin(), noise.end(), [](double n) { return n != 0; });
    return noise.empty() ? 0 : static_cast<double>(count) / static_cast<double>(noise.size());
  };
  double flipped = flips(1);
  if (flipped == 0) flipped = flips(16) / 4;
  noise_ratio.ratio = share == 0 ? 0 : flipped == 0 ? kInfinity : share / flipped;
  return noise_ratio;
}

std::string RegionNoise::KindOf(int r, double epsilon) const {
  const ValueClasses& left = run_.left();
  const int c = state_.at(r).match;
  std::string kind = state_.at(r).own.tensor().TypeString();
  const auto add = [&](const SideGraph& graph, const Region& region) {
    for (const int n : region.nodes) absl::StrAppend(&kind, " ", graph.node(n).made->op_type);
  };
  add(run_.right(), RightRegion(r));
  absl::StrAppend(&kind, " | ", left.result(c).type, " ", epsilon);
  if (left.computed(c)) add(left.graph(), LeftRegion(c));
  return kind;
}

RegionNoise::NoiseRatio RegionNoise::Judge(int r) const {
  const ForcedResult& result = state_.at(r);
  NoiseRatio noise_ratio;
  noise_ratio.distance = kInfinity;
  noise_ratio.ratio = kInfinity;
  if (!IsMeasurable(result.own) || !IsMeasurable(result.held)) return noise_ratio;
  if (result.own.tensor().shape() != result.held.tensor().shape()) return noise_ratio;
  if (!run_.right().IsComputed(r)) return JudgeConstant(r);
  double epsilon =
      CoarserEpsilon(run_.left().result(result.match).dtype, result.own.tensor().dtype());
  if (epsilon == 0) {
    return JudgeIntegers(r, run_.MeasuredOwn(result), run_.MeasuredHeld(result));
  }
  for (const int entry : RightRegion(r).entries) {
    epsilon = std::max(epsilon, EntryEpsilon(entry));
  }
  epsilon = std::max(epsilon, CoarseEpsilon(SideId::kRight, RightRegion(r)));
  if (run_.left().computed(result.match)) {
    epsilon = std::max(epsilon, CoarseEpsilon(SideId::kLeft, LeftRegion(result.match)));
  }
  noise_ratio.distance = run_.DistanceOf(result);
  if (!std::isfinite(noise_ratio.distance)) return noise_ratio;
  noise_ratio.ratio = noise_ratio.distance / epsilon;
  if (noise_ratio.distance <= kAlwaysRounding * epsilon) return noise_ratio;
  Judged& judged = judged_[KindOf(r, epsilon)];
  // Equivalent regions have inputs of about the same size, and round alike.
  if (judged.hopeless >= 3 && !judged.explained &&
      noise_ratio.distance >= 0.5 * judged.least_distance) {
    noise_ratio.ratio = kInfinity;
    return noise_ratio;
  }
  const Measured own = run_.MeasuredOwn(result);
  const Measured held = run_.MeasuredHeld(result);
  bool hopeless = false;
  // More noise can only reduce the ratio.
  Noise(r, epsilon, 1, [&](Elements noise, bool of_all) {
    const Ratios ratios = RatiosOf(held, own, epsilon, noise, of_all ? kInfinity : kMaxRatio);
    noise_ratio.ratio = ratios.greatest;
    hopeless = of_all && ratios.hopeless;
    return noise_ratio.ratio <= kMaxRatio || hopeless;
  });
  judged.explained = judged.explained || !hopeless;
  if (!hopeless) return noise_ratio;
  judged.least_distance = judged.hopeless == 0
                              ? noise_ratio.distance
                              : std::min(judged.least_distance, noise_ratio.distance);
  ++judged.hopeless;
  return noise_ratio;
}

}  // namespace onnxcmp
