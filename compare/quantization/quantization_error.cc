#include "compare/quantization/quantization_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/lanes/lane_sums.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {
namespace {

class SpanReader {
 public:
  explicit SpanReader(absl::Span<const double> numbers) : numbers_(numbers) {}
  int64_t size() const { return static_cast<int64_t>(numbers_.size()); }
  void Read(int64_t first, int64_t count, double* out) const {
    std::copy_n(numbers_.begin() + first, count, out);
  }

 private:
  absl::Span<const double> numbers_;
};

// True if neither number is a mask or NaN.
bool IsPair(double a, double b) {
  const bool a_counts = std::abs(a) < thresholds::kMaskMagnitude;
  const bool b_counts = std::abs(b) < thresholds::kMaskMagnitude;
  return a_counts & b_counts;  // without a branch, so that loops are vectorized
}

// Copies pairs, replacing those that do not count (masks and NaN) by the given numbers. Returns how
// many count.
double Clean(const double* a, const double* b, int64_t size, double instead_of_a,
             double instead_of_b, double* clean_a, double* clean_b) {
  double counts[kNumberStrip];
  for (int64_t i = 0; i < size; ++i) {
    const bool is_pair = IsPair(a[i], b[i]);
    counts[i] = is_pair ? 1 : 0;
    clean_a[i] = is_pair ? a[i] : instead_of_a;
    clean_b[i] = is_pair ? b[i] : instead_of_b;
  }
  LaneSum counted;
  ForEachInLanes(size, [&](int64_t i, int64_t lane) { counted.of[lane] += counts[i]; });
  return counted.Total();
}

struct Moments {
  double count = 0;
  double mean_a = 0, mean_b = 0;
  double aa = 0, bb = 0, ab = 0;  // about the means

  // Merges the moments of two sets.
  void Add(const Moments& other) {
    if (other.count == 0) return;
    const double all = count + other.count;
    const double share = other.count / all;
    const double a = other.mean_a - mean_a;
    const double b = other.mean_b - mean_b;
    aa += other.aa + a * a * count * share;
    bb += other.bb + b * b * count * share;
    ab += other.ab + a * b * count * share;
    mean_a += a * share;
    mean_b += b * share;
    count = all;
  }
};

LeastSquaresLine LineOf(const Moments& m) {
  LeastSquaresLine fit;
  if (m.aa > 0) fit.slope = m.ab / m.aa;
  fit.offset = m.mean_b - fit.slope * m.mean_a;
  return fit;
}

// Running sums, shifted by the first pair.
struct ShiftedSums {
  double first_a = 0, first_b = 0;
  double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void Add(double x, double y) {
    if (count == 0) {
      first_a = x;
      first_b = y;
    }
    x -= first_a;
    y -= first_b;
    count += 1;
    a += x;
    b += y;
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }

  Moments InMoments() const {
    if (count == 0) return Moments();
    const double mean_a = a / count;
    const double mean_b = b / count;
    return {count,
            first_a + mean_a,
            first_b + mean_b,
            std::max(0.0, aa - a * mean_a),
            std::max(0.0, bb - b * mean_b),
            ab - a * mean_b};
  }
};

// Sums of a channel for LinesThrough().
class ChannelSums {
 public:
  void Add(double x, double y) {
    if (!IsPair(x, y)) return;
    sums_.Add(x, y);
    line_.apart += (y - x) * (y - x);
    line_.least_a = std::min(line_.least_a, x);
    line_.most_a = std::max(line_.most_a, x);
    line_.least_b = std::min(line_.least_b, y);
    line_.most_b = std::max(line_.most_b, y);
  }

  // Merges sums of later elements. Afterwards only this may add to either.
  void Add(const ChannelSums& other) {
    moments_.Add(other.sums_.InMoments());
    line_.apart += other.line_.apart;
    line_.least_a = std::min(line_.least_a, other.line_.least_a);
    line_.most_a = std::max(line_.most_a, other.line_.most_a);
    line_.least_b = std::min(line_.least_b, other.line_.least_b);
    line_.most_b = std::max(line_.most_b, other.line_.most_b);
  }

  ChannelLine LeastSquaresLine() const {
    const Moments& m = moments_;
    ChannelLine channel = line_;
    channel.line = LineOf(m);
    const double slope = channel.line.slope;
    const double raw_aa = m.aa + m.count * m.mean_a * m.mean_a;
    channel.count = m.count;
    channel.rest = std::max(0.0, m.bb - 2 * slope * m.ab + slope * slope * m.aa);
    channel.squares = slope * slope * raw_aa;
    if (raw_aa > 0) channel.from_zero = (m.ab + m.count * m.mean_a * m.mean_b) / raw_aa;
    return channel;
  }

 private:
  ShiftedSums sums_;
  Moments moments_;
  ChannelLine line_;
};

// `add(first, count, x, y, sums)`: adds a strip to the channels.
template <typename AddStrip>
std::vector<ChannelLine> LinesOf(const DequantizedView& a, const DequantizedView& b,
                                 int64_t channels, const ThreadPool* pool, const AddStrip& add) {
  const int64_t size = std::min(a.size(), b.size());
  std::vector<ChannelSums> all(static_cast<size_t>(channels));
  const DequantizedReader left(a);
  const DequantizedReader right(b);
  const auto add_range = [&](int64_t begin, int64_t end, std::vector<ChannelSums>* sums) {
    ForEachStrip(left, right, begin, end,
                 [&](int64_t first, int64_t count, const double* x, const double* y) {
                   add(first, count, x, y, sums);
                   return true;
                 });
  };
  const auto merge = [&](const std::vector<ChannelSums>& piece) {
    for (size_t c = 0; c < all.size(); ++c) all[c].Add(piece[c]);
  };
  if (channels <= work_bounds::kLooks) {
    std::vector<std::vector<ChannelSums>> pieces(static_cast<size_t>(NumberPieces(size)));
    ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
      std::vector<ChannelSums>& sums = pieces[static_cast<size_t>(piece)];
      sums.resize(all.size());
      add_range(begin, end, &sums);
    });
    for (const std::vector<ChannelSums>& piece : pieces) merge(piece);
  } else {
    std::vector<ChannelSums> sums(all.size());
    add_range(0, size, &sums);
    merge(sums);
  }
  std::vector<ChannelLine> lines;
  for (const ChannelSums& channel : all) lines.push_back(channel.LeastSquaresLine());
  return lines;
}

struct Sums {
  PairMoments pairs;
  Moments moments;

  void Add(const Sums& other) {
    pairs.Add(other.pairs);
    moments.Add(other.moments);
  }
};

// Sums of one strip. Uses several loops, since registers hold at most four sums in lanes.
Sums SumsOfStrip(const double* a, const double* b, int64_t size) {
  double x[kNumberStrip];
  double y[kNumberStrip];
  const double counted = Clean(a, b, size, 0, 0, x, y);
  Sums sums = {MomentsOfStrip(x, y, size, {}), {}};
  if (counted == 0) return sums;
  LaneSum sums_a, sums_b;
  ForEachInLanes(size, [&](int64_t i, int64_t lane) {
    sums_a.of[lane] += x[i];
    sums_b.of[lane] += y[i];
  });
  Moments& m = sums.moments;
  m.count = counted;
  m.mean_a = sums_a.Total() / m.count;
  m.mean_b = sums_b.Total() / m.count;
  if (counted < static_cast<double>(size)) Clean(a, b, size, m.mean_a, m.mean_b, x, y);
  const double mean_a = m.mean_a;
  const double mean_b = m.mean_b;
  LaneSum aa, bb, ab;
  ForEachInLanes(size, [&](int64_t i, int64_t lane) {
    aa.of[lane] += (x[i] - mean_a) * (x[i] - mean_a);
    bb.of[lane] += (y[i] - mean_b) * (y[i] - mean_b);
    ab.of[lane] += (x[i] - mean_a) * (y[i] - mean_b);
  });
  m.aa = aa.Total();
  m.bb = bb.Total();
  m.ab = ab.Total();
  return sums;
}

template <typename Reader>
Sums SumsOf(const Reader& a, const Reader& b, const ThreadPool* pool) {
  const int64_t size = std::min(a.size(), b.size());
  std::vector<Sums> pieces(static_cast<size_t>(NumberPieces(size)));
  ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
    Sums& sums = pieces[static_cast<size_t>(piece)];
    ForEachStrip(a, b, begin, end,
                 [&](int64_t /*first*/, int64_t count, const double* x, const double* y) {
                   sums.Add(SumsOfStrip(x, y, count));
                   return true;
                 });
  });
  Sums all;
  for (const Sums& piece : pieces) all.Add(piece);
  return all;
}

NoiseStats StatsOfSums(const Sums& sums) {
  NoiseStats noise_stats;
  const auto& [count, differences, aa, bb] = sums.pairs.sums;
  noise_stats.noise = differences == 0 ? 0
                      : aa == 0        ? std::numeric_limits<double>::infinity()
                                       : std::sqrt(differences / aa);
  noise_stats.cosine = aa == 0 && bb == 0   ? 1
                       : aa == 0 || bb == 0 ? 0
                                            : sums.pairs.products / std::sqrt(aa * bb);
  const Moments& m = sums.moments;
  if (m.aa > 0 && m.bb > 0) noise_stats.correlation = m.ab / std::sqrt(m.aa * m.bb);
  return noise_stats;
}

}  // namespace

NoiseStats NoiseStatsOf(absl::Span<const double> signal, absl::Span<const double> noisy) {
  return StatsOfSums(SumsOf(SpanReader(signal), SpanReader(noisy), nullptr));
}

NoiseStats NoiseStatsOf(const DequantizedView& signal, const DequantizedView& noisy,
                        const ThreadPool* pool) {
  return StatsOfSums(SumsOf(DequantizedReader(signal), DequantizedReader(noisy), pool));
}

double Decibels(double noise) {
  return noise == 0 ? std::numeric_limits<double>::infinity() : -20 * std::log10(noise);
}

LeastSquaresLine LineThrough(absl::Span<const double> a, absl::Span<const double> b) {
  return LineOf(SumsOf(SpanReader(a), SpanReader(b), nullptr).moments);
}

LeastSquaresLine LineThrough(const DequantizedView& a, const DequantizedView& b,
                             const ThreadPool* pool) {
  return LineOf(SumsOf(DequantizedReader(a), DequantizedReader(b), pool).moments);
}

std::vector<ChannelLine> LinesThrough(const DequantizedView& a, const DequantizedView& b,
                                      int64_t channels, int64_t inner, const ThreadPool* pool) {
  if (channels <= 0 || inner <= 0) return {};
  return LinesOf(a, b, channels, pool,
                 [&](int64_t first, int64_t count, const double* x, const double* y,
                     std::vector<ChannelSums>* sums) {
                   int64_t channel = first / inner % channels;
                   int64_t left = inner - first % inner;  // to the end of the channel's run
                   for (int64_t i = 0; i < count; ++i) {
                     (*sums)[static_cast<size_t>(channel)].Add(x[i], y[i]);
                     if (--left > 0) continue;
                     left = inner;
                     if (++channel == channels) channel = 0;
                   }
                 });
}

std::vector<ChannelLine> LinesThrough(const DequantizedView& a, const DequantizedView& b,
                                      const QuantParamValues& params, const Shape& shape,
                                      const ThreadPool* pool) {
  const auto channels = static_cast<int64_t>(params.scales.size());
  if (params.per_tensor()) return LinesThrough(a, b, 1, a.size(), pool);
  if (params.block == 0) {
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(params.axis) + 1; i < shape.size(); ++i) inner *= shape[i];
    return LinesThrough(a, b, channels, inner, pool);
  }
  return LinesOf(a, b, channels, pool,
                 [&](int64_t first, int64_t count, const double* x, const double* y,
                     std::vector<ChannelSums>* sums) {
                   for (int64_t i = 0; i < count; ++i) {
                     const auto channel = static_cast<size_t>(params.ScaleAt(shape, first + i));
                     (*sums)[channel].Add(x[i], y[i]);
                   }
                 });
}

}  // namespace onnxcmp
