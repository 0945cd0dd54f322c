#include "compare/quantization/signal.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

bool Counts(double a, double b) { return std::abs(a) < kMask && std::abs(b) < kMask; }

struct Moments {
  double count = 0;
  double mean_a = 0, mean_b = 0;
  double aa = 0, bb = 0, ab = 0;  // about the means
};

Moments MomentsOf(absl::Span<const double> a, absl::Span<const double> b) {
  Moments m;
  const size_t size = std::min(a.size(), b.size());
  for (size_t i = 0; i < size; ++i) {
    if (!Counts(a[i], b[i])) continue;
    m.count += 1;
    m.mean_a += a[i];
    m.mean_b += b[i];
  }
  if (m.count == 0) return m;
  m.mean_a /= m.count;
  m.mean_b /= m.count;
  for (size_t i = 0; i < size; ++i) {
    if (!Counts(a[i], b[i])) continue;
    m.aa += (a[i] - m.mean_a) * (a[i] - m.mean_a);
    m.bb += (b[i] - m.mean_b) * (b[i] - m.mean_b);
    m.ab += (a[i] - m.mean_a) * (b[i] - m.mean_b);
  }
  return m;
}

}  // namespace

Likeness LikenessOf(absl::Span<const double> signal, absl::Span<const double> noisy) {
  double aa = 0, bb = 0, ab = 0, differences = 0;
  for (size_t i = 0; i < std::min(signal.size(), noisy.size()); ++i) {
    const double a = signal[i];
    const double b = noisy[i];
    if (!Counts(a, b)) continue;
    aa += a * a;
    bb += b * b;
    ab += a * b;
    differences += (a - b) * (a - b);
  }
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
