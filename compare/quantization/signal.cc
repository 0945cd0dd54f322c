#include "compare/quantization/signal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

// What is added to in turn, so that g++ adds to all of them at once.
constexpr size_t kLanes = 8;
struct Lanes {
  double of[kLanes] = {};

  double Total() const {
    double total = 0;
    for (const double lane : of) total += lane;
    return total;
  }
};

// Calls add(a, b, 1, lane) for each pair; with 0 and what is given instead for those that do not
// count, masks and NaN.
template <typename Add>
void ForEachPair(absl::Span<const double> a, absl::Span<const double> b, double instead_of_a,
                 double instead_of_b, const Add& add) {
  const auto add_pair = [&](size_t i, size_t lane) {
    const bool a_counts = std::abs(a[i]) < kMask;
    const bool b_counts = std::abs(b[i]) < kMask;
    const bool counts = a_counts & b_counts;
    add(counts ? a[i] : instead_of_a, counts ? b[i] : instead_of_b, counts ? 1.0 : 0.0, lane);
  };
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) add_pair(i + k, k);
  }
  for (; i < size; ++i) add_pair(i, 0);
}

struct Moments {
  double count = 0;
  double mean_a = 0, mean_b = 0;
  double aa = 0, bb = 0, ab = 0;  // about the means
};

Moments MomentsOf(absl::Span<const double> a, absl::Span<const double> b) {
  Moments m;
  Lanes counts, sums_a, sums_b;
  ForEachPair(a, b, 0, 0, [&](double x, double y, double counted, size_t lane) {
    counts.of[lane] += counted;
    sums_a.of[lane] += x;
    sums_b.of[lane] += y;
  });
  m.count = counts.Total();
  if (m.count == 0) return m;
  m.mean_a = sums_a.Total() / m.count;
  m.mean_b = sums_b.Total() / m.count;
  Lanes aa, bb, ab;
  ForEachPair(a, b, m.mean_a, m.mean_b, [&](double x, double y, double /*counted*/, size_t lane) {
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
  Lanes aas, bbs, abs, of_differences;
  ForEachPair(signal, noisy, 0, 0, [&](double a, double b, double /*counted*/, size_t lane) {
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
