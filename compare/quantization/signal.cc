#include "compare/quantization/signal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "compare/differences/lane_sums.h"

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

// Calls add(a, b, 1, lane) for each pair; with 0 and what is given instead for those that do not
// count, masks and NaN.
template <typename Add>
void ForEachPair(absl::Span<const double> a, absl::Span<const double> b, double instead_of_a,
                 double instead_of_b, const Add& add) {
  const auto size = static_cast<int64_t>(std::min(a.size(), b.size()));
  ForEachInLanes(size, [&](int64_t k, int64_t lane) {
    const auto i = static_cast<size_t>(k);
    const bool a_counts = std::abs(a[i]) < kMask;
    const bool b_counts = std::abs(b[i]) < kMask;
    const bool counts = a_counts & b_counts;
    add(counts ? a[i] : instead_of_a, counts ? b[i] : instead_of_b, counts ? 1.0 : 0.0, lane);
  });
}

struct Moments {
  double count = 0;
  double mean_a = 0, mean_b = 0;
  double aa = 0, bb = 0, ab = 0;  // about the means
};

Moments MomentsOf(absl::Span<const double> a, absl::Span<const double> b) {
  Moments m;
  LaneSum counts, sums_a, sums_b;
  ForEachPair(a, b, 0, 0, [&](double x, double y, double counted, int64_t lane) {
    counts.of[lane] += counted;
    sums_a.of[lane] += x;
    sums_b.of[lane] += y;
  });
  m.count = counts.Total();
  if (m.count == 0) return m;
  m.mean_a = sums_a.Total() / m.count;
  m.mean_b = sums_b.Total() / m.count;
  LaneSum aa, bb, ab;
  ForEachPair(a, b, m.mean_a, m.mean_b, [&](double x, double y, double /*counted*/, int64_t lane) {
    aa.of[lane] += (x - m.mean_a) * (x - m.mean_a);
    bb.of[lane] += (y - m.mean_b) * (y - m.mean_b);
    ab.of[lane] += (x - m.mean_a) * (y - m.mean_b);
  });
  m.aa = aa.Total();
  m.bb = bb.Total();
  m.ab = ab.Total();
  return m;
}

}  // namespace

Likeness LikenessOf(absl::Span<const double> signal, absl::Span<const double> noisy) {
  LaneSum aas, bbs, abs, of_differences;
  ForEachPair(signal, noisy, 0, 0, [&](double a, double b, double /*counted*/, int64_t lane) {
    aas.of[lane] += a * a;
    bbs.of[lane] += b * b;
    abs.of[lane] += a * b;
    of_differences.of[lane] += (a - b) * (a - b);
  });
  const double aa = aas.Total();
  const double bb = bbs.Total();
  const double ab = abs.Total();
  const double differences = of_differences.Total();
  Likeness likeness;
  likeness.noise = differences == 0 ? 0
                   : aa == 0        ? std::numeric_limits<double>::infinity()
                                    : std::sqrt(differences / aa);
  likeness.cosine = aa == 0 && bb == 0 ? 1 : aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
  const Moments m = MomentsOf(signal, noisy);
  if (m.aa > 0 && m.bb > 0) likeness.correlation = m.ab / std::sqrt(m.aa * m.bb);
  return likeness;
}

double Decibels(double noise) {
  return noise == 0 ? std::numeric_limits<double>::infinity() : -20 * std::log10(noise);
}

Line LineThrough(absl::Span<const double> a, absl::Span<const double> b) {
  const Moments m = MomentsOf(a, b);
  Line fit;
  if (m.aa > 0) fit.slope = m.ab / m.aa;
  fit.offset = m.mean_b - fit.slope * m.mean_a;
  return fit;
}

}  // namespace onnxcmp
