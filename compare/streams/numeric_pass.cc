#include "compare/streams/numeric_pass.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compare/differences/infinity.h"

namespace onnxcmp {
namespace {

// Four lanes side by side: a register of AVX.
constexpr int kLanes = 4;
using Doubles = double __attribute__((vector_size(32)));
using Bits = uint64_t __attribute__((vector_size(32)));

constexpr uint64_t kSign = uint64_t{1} << 63;

Doubles Load(const double* p) {
  Doubles lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}

void Store(Doubles lanes, double* p) { std::memcpy(p, &lanes, sizeof(lanes)); }

Doubles Splat(double number) { return Doubles{number, number, number, number}; }

Doubles Abs(Doubles lanes) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(lanes) & ~kSign);
}

Doubles Flip(Doubles lanes, Bits signs) {
  return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(lanes) ^ signs);
}

double Sum(Doubles lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

// SplitMix64.
uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Statistics of one chunk whose elements are finite, unless `squares` is not.
void AddFinite(const double* values, int64_t count, double shift, NumericSums* sums) {
  Doubles sum = {};
  Doubles squares = {};
  Doubles shifted_squares = {};
  Doubles least = Splat(kInfinity);
  Doubles greatest = Splat(-kInfinity);
  Bits zeros = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Doubles x = Load(values + i);
    const Doubles d = x - Splat(shift);
    sum += x;
    squares += x * x;
    shifted_squares += d * d;
    least = x < least ? x : least;
    greatest = x > greatest ? x : greatest;
    zeros -= reinterpret_cast<Bits>(x == Doubles{});
  }
  sums->sum = Sum(sum);
  sums->squares = Sum(squares);
  sums->shifted_squares = Sum(shifted_squares);
  sums->zeros = static_cast<int64_t>(zeros[0] + zeros[1] + zeros[2] + zeros[3]);
  for (int lane = 0; lane < kLanes; ++lane) {
    sums->min = std::min(sums->min, static_cast<double>(least[lane]));
    sums->max = std::max(sums->max, static_cast<double>(greatest[lane]));
  }
  for (; i < count; ++i) {
    const double x = values[i];
    sums->sum += x;
    sums->squares += x * x;
    sums->shifted_squares += (x - shift) * (x - shift);
    sums->zeros += x == 0 ? 1 : 0;
    sums->min = std::min(sums->min, x);
    sums->max = std::max(sums->max, x);
  }
  sums->count = sums->finite = count;
}

// Any chunk; NaN and infinities become 0.
void AddAny(double* values, int64_t count, double shift, NumericSums* sums) {
  Doubles sum = {};
  Doubles squares = {};
  Doubles shifted_squares = {};
  Doubles least = Splat(kInfinity);
  Doubles greatest = Splat(-kInfinity);
  Bits zeros = {};
  Bits finite = {};
  Bits nans = {};
  // What is put after the end is none of the three.
  for (int64_t i = 0; i < count; i += kLanes) {
    Bits inside = ~Bits{};
    for (int64_t lane = std::max<int64_t>(count - i, 0); lane < kLanes; ++lane) inside[lane] = 0;
    const Doubles x = Load(values + i);
    const Bits is_finite = reinterpret_cast<Bits>(Abs(x) < Splat(kInfinity)) & inside;
    const Doubles kept = reinterpret_cast<Doubles>(reinterpret_cast<Bits>(x) & is_finite);
    const Doubles d =
        reinterpret_cast<Doubles>(reinterpret_cast<Bits>(x - Splat(shift)) & is_finite);
    Store(kept, values + i);
    sum += kept;
    squares += kept * kept;
    shifted_squares += d * d;
    const Doubles or_infinity = is_finite ? x : Splat(kInfinity);
    const Doubles or_minus_infinity = is_finite ? x : Splat(-kInfinity);
    least = or_infinity < least ? or_infinity : least;
    greatest = or_minus_infinity > greatest ? or_minus_infinity : greatest;
    zeros -= reinterpret_cast<Bits>(x == Doubles{}) & inside;
    nans -= reinterpret_cast<Bits>(x != x) & inside;
    finite -= is_finite;
  }
  sums->count = count;
  for (int lane = 0; lane < kLanes; ++lane) {
    sums->zeros += static_cast<int64_t>(zeros[lane]);
    sums->nans += static_cast<int64_t>(nans[lane]);
    sums->finite += static_cast<int64_t>(finite[lane]);
    sums->min = std::min(sums->min, static_cast<double>(least[lane]));
    sums->max = std::max(sums->max, static_cast<double>(greatest[lane]));
  }
  sums->sum = Sum(sum);
  sums->squares = Sum(squares);
  sums->shifted_squares = Sum(shifted_squares);
}

// c(x) of finite elements with zeros after the end.
void AddSquashed(const double* values, int64_t count, double* squashed, NumericSums* sums) {
  Doubles sum = {};
  Doubles magnitudes = {};
  Doubles squares = {};
  Doubles cubes = {};
  for (int64_t i = 0; i < count; i += kLanes) {
    const Doubles x = Load(values + i);
    const Doubles c = x / (Splat(1) + Abs(x));
    const Doubles square = c * c;
    Store(c, squashed + i);
    sum += c;
    magnitudes += Abs(c);
    squares += square;
    cubes += square * c;
  }
  sums->c_sum = Sum(sum);
  sums->c_magnitudes = Sum(magnitudes);
  sums->c_squares = Sum(squares);
  sums->c_cubes = Sum(cubes);
}

Sketch ToSketch(double squares, const std::array<double, kProjections>& projections, int64_t count,
                int64_t finite) {
  Sketch sketch;
  if (count == 0) return sketch;
  const auto n = static_cast<double>(count);
  sketch.rms = std::sqrt(squares / n);
  sketch.non_finite = static_cast<double>(count - finite) / n;
  const double root = std::sqrt(n);
  std::transform(projections.begin(), projections.end(), sketch.projections.begin(),
                 [root](double p) { return p / root; });
  return sketch;
}

double Squash(double x) { return x / (1 + std::abs(x)); }

}  // namespace

void NumericSums::Add(const NumericSums& other) {
  count += other.count;
  finite += other.finite;
  zeros += other.zeros;
  nans += other.nans;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  sum += other.sum;
  squares += other.squares;
  shifted_squares += other.shifted_squares;
  c_sum += other.c_sum;
  c_magnitudes += other.c_magnitudes;
  c_squares += other.c_squares;
  c_cubes += other.c_cubes;
  for (size_t k = 0; k < kProjections; ++k) {
    plain[k] += other.plain[k];
    squashed[k] += other.squashed[k];
  }
}

Statistics NumericSums::ToStatistics(double shift) const {
  Statistics statistics;
  statistics.zeros = zeros;
  statistics.nans = nans;
  statistics.infinities = count - finite - nans;
  if (finite == 0) return statistics;
  const auto n = static_cast<double>(finite);
  statistics.min = min;
  statistics.max = max;
  // Rounding must not put the mean beyond the ends.
  statistics.mean = std::clamp(sum / n, min, max);
  const double from_shift = statistics.mean - shift;
  const double variance = shifted_squares / n - from_shift * from_shift;
  statistics.deviation = min == max ? 0 : std::sqrt(std::max(variance, 0.0));
  return statistics;
}

Sketch NumericSums::Plain() const { return ToSketch(squares, plain, count, finite); }
Sketch NumericSums::Squashed() const { return ToSketch(c_squares, squashed, count, finite); }

std::array<double, 6> NumericSums::Moments() const {
  if (finite == 0) return {};
  const auto n = static_cast<double>(count);
  // c grows with x. Elements that are not finite count as 0.
  const double least = finite < count ? std::min(min, 0.0) : min;
  const double greatest = finite < count ? std::max(max, 0.0) : max;
  return {c_sum / n,     std::sqrt(c_squares / n), c_magnitudes / n,
          Squash(least), Squash(greatest),         std::cbrt(c_cubes / n)};
}

NumericPass::NumericPass(int64_t size, double shift)
    : runs_per_group_(1),
      used_vectors_(static_cast<int>((std::min<int64_t>(size, kRun) + kLanes - 1) / kLanes)),
      shift_(shift) {
  // As long as hundreds of slots are left.
  while (runs_per_group_ < 64 && runs_per_group_ * 2 * 256 <= size) runs_per_group_ *= 2;
}

void NumericPass::AddChunk(int64_t first, int64_t count, double* values) {
  alignas(64) std::array<double, kChunk> squashed;
  NumericSums chunk;
  AddFinite(values, count, shift_, &chunk);
  // Up to a whole run.
  const int64_t padded = (count + kRun - 1) / kRun * kRun;
  std::fill(values + count, values + padded, 0.0);
  if (!std::isfinite(chunk.squares)) {
    chunk = NumericSums();
    AddAny(values, count, shift_, &chunk);
  }
  AddSquashed(values, padded, squashed.data(), &chunk);
  sums_.Add(chunk);
  Project(first, padded, values, squashed.data());
}

void NumericPass::Project(int64_t first, int64_t count, const double* x, const double* c) {
  std::array<uint64_t, kChunk / kRun> signs;
  const int64_t first_run = first / kRun;
  const int64_t runs = count / kRun;
  for (int64_t run = 0; run < runs; ++run) {
    signs[static_cast<size_t>(run)] = Mix(static_cast<uint64_t>(first_run + run));
  }
  for (int64_t run = 0; run < runs;) {
    const int64_t group = (first_run + run) / runs_per_group_;
    if (group != group_) {
      SpendSlots(group_);
      group_ = group;
    }
    const int64_t end = std::min(runs, (group + 1) * runs_per_group_ - first_run);
    for (int v = 0; v < used_vectors_; ++v) {
      // Brings the bit of each lane to the place of the sign.
      const auto last = static_cast<uint64_t>(63 - v * kLanes);
      const Bits shifts = {last, last - 1, last - 2, last - 3};
      double* plain_slots = plain_slots_.data() + v * kLanes;
      double* squashed_slots = squashed_slots_.data() + v * kLanes;
      Doubles plain = Load(plain_slots);
      Doubles squashed = Load(squashed_slots);
      for (int64_t r = run; r < end; ++r) {
        const uint64_t bits = signs[static_cast<size_t>(r)];
        const Bits flips = (Bits{bits, bits, bits, bits} << shifts) & kSign;
        plain += Flip(Load(x + r * kRun + v * kLanes), flips);
        squashed += Flip(Load(c + r * kRun + v * kLanes), flips);
      }
      Store(plain, plain_slots);
      Store(squashed, squashed_slots);
    }
    run = end;
  }
}

void NumericPass::SpendSlots(int64_t group) {
  if (group < 0) return;
  std::array<Doubles, kProjections> plain = {};
  std::array<Doubles, kProjections> squashed = {};
  for (int v = 0; v < used_vectors_; ++v) {
    // 16 bits for each lane.
    const uint64_t hash =
        Mix(~(static_cast<uint64_t>(group) * (kRun / kLanes) + static_cast<uint64_t>(v)));
    const Bits bits = Bits{hash, hash, hash, hash} >> Bits{0, 16, 32, 48};
    const Doubles x = Load(plain_slots_.data() + v * kLanes);
    const Doubles c = Load(squashed_slots_.data() + v * kLanes);
    for (size_t k = 0; k < kProjections; ++k) {
      const Bits flips = (bits << (63 - k)) & kSign;
      plain[k] += Flip(x, flips);
      squashed[k] += Flip(c, flips);
    }
  }
  for (size_t k = 0; k < kProjections; ++k) {
    sums_.plain[k] += Sum(plain[k]);
    sums_.squashed[k] += Sum(squashed[k]);
  }
  plain_slots_.fill(0);
  squashed_slots_.fill(0);
}

const NumericSums& NumericPass::Finish() {
  SpendSlots(group_);
  group_ = -1;
  return sums_;
}

}  // namespace onnxcmp
