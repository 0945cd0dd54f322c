#include "compare/shadow/shadow.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "compare/differences/element_reader.h"
#include "compare/differences/infinity.h"
#include "compare/differences/nearness.h"

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

// Whether both stand for the same mask: -3e38 may become -inf in 16 bits.
bool SameMask(double a, double b) {
  return std::signbit(a) == std::signbit(b) &&
         ((std::isinf(a) && std::abs(b) > kMask) || (std::isinf(b) && std::abs(a) > kMask) ||
          (std::isinf(a) && std::isinf(b)));
}

// Masks are written with the least number of a type, too, and something small is added to them.
double LeastMask(DType dtype) { return dtype == DType::kFloat16 ? 60000 : kMask; }

double DifferenceOf(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)) || SameMask(a, b)) return 0;
  const double difference = std::abs(a - b);
  return std::isnan(difference) ? kInfinity : difference;
}

// Shows numbers of both and how far they are apart, but for masks.
template <typename Visit>
void ForEachDistance(const Tensor& own, const Tensor& in_double, const Visit& visit) {
  constexpr int64_t kStrip = 1024;
  const ElementReader left(own);
  const ElementReader right(in_double);
  double a[kStrip];
  double b[kStrip];
  const double mask = LeastMask(own.dtype());
  for (int64_t first = 0; first < own.num_elements(); first += kStrip) {
    const int64_t count = std::min(kStrip, own.num_elements() - first);
    left.Read(first, count, a);
    right.Read(first, count, b);
    for (int64_t i = 0; i < count; ++i) {
      if (std::isfinite(a[i]) && std::min(std::abs(a[i]), std::abs(b[i])) > mask) continue;
      visit(b[i], DifferenceOf(a[i], b[i]));
    }
  }
}

}  // namespace

TruthDistance TruthDistanceOf(const Tensor& own, const Tensor& in_double) {
  TruthDistance distance;
  distance.dtype = own.dtype();
  double squares = 0;
  int64_t counted = 0;
  ForEachDistance(own, in_double, [&](double truth, double difference) {
    counted += std::abs(truth) < kMask ? 1 : 0;
    distance.max_absolute = std::max(distance.max_absolute, difference);
    squares += difference * difference;
  });
  distance.rms = std::sqrt(squares / static_cast<double>(std::max<int64_t>(own.num_elements(), 1)));
  // Mostly all of them count, and need not be copied.
  if (counted == in_double.num_elements() && in_double.dtype() == DType::kDouble &&
      in_double.is_contiguous()) {
    distance.scale = ScaleOf(absl::MakeConstSpan(in_double.data<double>(), counted));
    return distance;
  }
  std::vector<double> elements;
  elements.reserve(static_cast<size_t>(counted));
  ForEachDistance(own, in_double, [&](double truth, double /*difference*/) {
    if (std::abs(truth) < kMask) elements.push_back(truth);
  });
  distance.scale = ScaleOf(elements);
  return distance;
}

double GreatestTruthDistance(const Tensor& own, const Tensor& in_double) {
  double greatest = 0;
  ForEachDistance(own, in_double, [&](double /*truth*/, double difference) {
    greatest = std::max(greatest, difference);
  });
  return greatest;
}

absl::string_view NearerName(Nearer nearer) {
  switch (nearer) {
    case Nearer::kLeft:
      return "left";
    case Nearer::kRight:
      return "right";
    case Nearer::kEqual:
      break;
  }
  return "equal";
}

TruthVerdict JudgeTruth(const TruthDistance& left, const TruthDistance& right) {
  constexpr double kFactor = 4;
  TruthVerdict verdict;
  verdict.left = left.relative();
  verdict.right = right.relative();
  // What is exact by chance is no nearer than what is rounded to the finer type.
  const double least = std::min(EpsilonOf(left.dtype), EpsilonOf(right.dtype)) / 8;
  const double a = std::max(verdict.left, least);
  const double b = std::max(verdict.right, least);
  if (a == b || !(a > 0) || !(b > 0)) return verdict;
  verdict.factor = a < b ? b / a : a / b;
  if (verdict.factor >= kFactor) verdict.nearer = a < b ? Nearer::kLeft : Nearer::kRight;
  return verdict;
}

std::string NearerText(const TruthVerdict& verdict) {
  if (verdict.nearer == Nearer::kEqual) return "both are equally good";
  const std::string times = !std::isfinite(verdict.factor) ? "infinitely"
                            : verdict.factor >= 1e5 ? absl::StrFormat("%.1e times", verdict.factor)
                            : verdict.factor >= 10  ? absl::StrFormat("%.0f times", verdict.factor)
                                                    : absl::StrFormat("%.1f times", verdict.factor);
  return absl::StrCat("the ", NearerName(verdict.nearer), " is ", times, " nearer");
}

}  // namespace onnxcmp
