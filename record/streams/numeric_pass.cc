#include "record/streams/numeric_pass.h"

#include <algorithm>
#include <cmath>

#include "record/differences/infinity.h"
#include "record/differences/lanes/lanes.h"
#include "record/streams/fingerprint_loops.h"

namespace onnxcmp {
namespace {

using lanes::Abs;
using lanes::AsBits;
using lanes::AsDoubles;
using lanes::Bits;
using lanes::Doubles;
using lanes::kLanes;
using lanes::kSign;
using lanes::Load;
using lanes::Splat;
using lanes::Store;

Doubles Flip(Doubles lanes, Bits signs) { return AsDoubles(AsBits(lanes) ^ signs); }

// SplitMix64.
uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// Statistics of a chunk whose elements are not all finite; sets those that are not to 0.
template <typename T>
void AddNotFinite(T* values, int64_t count, double shift, NumericSums* sums) {
  Doubles sum = {};
  Doubles squares = {};
  Doubles shifted_squares = {};
  Doubles least = Splat(kInfinity);
  Doubles greatest = Splat(-kInfinity);
  Bits zeros = {};
  Bits finite = {};
  Bits nans = {};
  // Elements after the end count as none of the three.
  for (int64_t i = 0; i < count; i += kLanes) {
    Bits inside = ~Bits{};
    for (int64_t lane = std::max<int64_t>(count - i, 0); lane < kLanes; ++lane) inside[lane] = 0;
    const Doubles x = Load(values + i);
    const Bits is_finite = AsBits(Abs(x) < Splat(kInfinity)) & inside;
    const Doubles kept = AsDoubles(AsBits(x) & is_finite);
    const Doubles d = AsDoubles(AsBits(x - Splat(shift)) & is_finite);
    Store(kept, values + i);
    sum += kept;
    squares += kept * kept;
    shifted_squares += d * d;
    const Doubles or_infinity = is_finite ? x : Splat(kInfinity);
    const Doubles or_minus_infinity = is_finite ? x : Splat(-kInfinity);
    least = or_infinity < least ? or_infinity : least;
    greatest = or_minus_infinity > greatest ? or_minus_infinity : greatest;
    zeros -= AsBits(x == Doubles{}) & inside;
    nans -= AsBits(x != x) & inside;
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
  sums->sum = lanes::Sum(sum);
  sums->squares = lanes::Sum(squares);
  sums->shifted_squares = lanes::Sum(shifted_squares);
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
  // The sign of a zero may depend on the order of the elements.
  statistics.min = min + 0.0;
  statistics.max = max + 0.0;
  // Rounding must not move the mean out of the range.
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
  // c is monotonic. Elements that are not finite count as 0.
  const double least = finite < count ? std::min(min, 0.0) : min;
  const double greatest = finite < count ? std::max(max, 0.0) : max;
  return {c_sum / n,     std::sqrt(c_squares / n), c_magnitudes / n,
          Squash(least), Squash(greatest),         std::cbrt(c_cubes / n)};
}

NumericPass::NumericPass(int64_t size, double shift)
    : runs_per_group_(1),
      used_vectors_(static_cast<int>((std::min<int64_t>(size, kRun) + kLanes - 1) / kLanes)),
      shift_(shift) {
  // As long as hundreds of slots remain.
  while (runs_per_group_ < 64 && runs_per_group_ * 2 * 256 <= size) runs_per_group_ *= 2;
}

template <typename T>
void NumericPass::AddChunk(int64_t first, int64_t count, const T* values, T* room) {
  const NumberEnds ends = BestFingerprintLoops().Of<T>().find_ends(values, count);
  NumericSums chunk;
  if (!ends.finite || count % kRun != 0) {
    if (values != room) std::copy_n(values, count, room);
    std::fill(room + count, room + (count + kRun - 1) / kRun * kRun, T{0});
    if (!ends.finite) AddNotFinite(room, count, shift_, &chunk);
    values = room;
  }
  AddSums(first, count, values, &chunk);
  if (ends.finite) {
    chunk.count = chunk.finite = count;
    chunk.zeros = ends.zeros;
    chunk.min = ends.least;
    chunk.max = ends.greatest;
  }
  sums_.Add(chunk);
}

template void NumericPass::AddChunk(int64_t first, int64_t count, const float* values, float* room);
template void NumericPass::AddChunk(int64_t first, int64_t count, const double* values,
                                    double* room);

template <typename T>
void NumericPass::AddSums(int64_t first, int64_t count, const T* values, NumericSums* chunk) {
  // Statistics from AddNotFinite stay.
  const bool statistics = chunk->count == 0;
  std::array<uint64_t, kChunk / kRun> signs;
  const int64_t first_run = first / kRun;
  const int64_t runs = (count + kRun - 1) / kRun;
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
    const NumberSums sums = BestFingerprintLoops().Of<T>().add(
        values + run * kRun, std::min(count, end * kRun) - run * kRun, shift_, signs.data() + run,
        plain_slots_.data(), squashed_slots_.data());
    if (statistics) {
      chunk->sum += sums.plain;
      chunk->squares += sums.squares;
      chunk->shifted_squares += sums.shifted_squares;
    }
    chunk->c_sum += sums.squashed;
    chunk->c_magnitudes += sums.squashed_magnitudes;
    chunk->c_squares += sums.squashed_squares;
    chunk->c_cubes += sums.squashed_cubes;
    run = end;
  }
}

void NumericPass::SpendSlots(int64_t group) {
  if (group < 0) return;
  std::array<Doubles, kProjections> plain = {};
  std::array<Doubles, kProjections> squashed = {};
  for (int v = 0; v < used_vectors_; ++v) {
    // Each lane gets 16 bits.
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
    sums_.plain[k] += lanes::Sum(plain[k]);
    sums_.squashed[k] += lanes::Sum(squashed[k]);
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
