#include "compare/in_double/shadow.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "record/base/thresholds.h"
#include "record/differences/element_reader.h"
#include "record/differences/infinity.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// True if both are the same mask: -3e38 may become -inf in 16 bits.
bool SameMask(double a, double b) {
  return std::signbit(a) == std::signbit(b) &&
         ((std::isinf(a) && std::abs(b) > thresholds::kMaskMagnitude) ||
          (std::isinf(b) && std::abs(a) > thresholds::kMaskMagnitude) ||
          (std::isinf(a) && std::isinf(b)));
}

// Masks may also be the least number of a type, with a small number added.
double LeastMask(DType dtype) {
  return dtype == DType::kFloat16 ? thresholds::kMaskMagnitudeOfFloat16
                                  : thresholds::kMaskMagnitude;
}

double DifferenceOf(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)) || SameMask(a, b)) return 0;
  const double difference = std::abs(a - b);
  return std::isnan(difference) ? kInfinity : difference;
}

// Visits numbers [begin, end) of both and their distance, except masks.
template <typename Visit>
void ForEachDistance(const Tensor& own, const Tensor& in_double, int64_t begin, int64_t end,
                     const Visit& visit) {
  const ElementReader left(own);
  const ElementReader right(in_double);
  double a[kNumberStrip];
  double b[kNumberStrip];
  const double mask = LeastMask(own.dtype());
  for (int64_t first = begin; first < end; first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, end - first);
    left.Read(first, count, a);
    right.Read(first, count, b);
    for (int64_t i = 0; i < count; ++i) {
      if (std::isfinite(a[i]) && std::min(std::abs(a[i]), std::abs(b[i])) > mask &&
          std::signbit(a[i]) == std::signbit(b[i])) {
        continue;
      }
      visit(b[i], DifferenceOf(a[i], b[i]));
    }
  }
}

struct Sums {
  double max_absolute = 0;
  double squares = 0;
  int64_t counted = 0;  // without masks
};

Sums SumsOf(const Tensor& own, const Tensor& in_double, const ThreadPool* pool) {
  const int64_t size = own.num_elements();
  std::vector<Sums> pieces(static_cast<size_t>(NumberPieces(size)));
  ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
    Sums sums;
    ForEachDistance(own, in_double, begin, end, [&](double truth, double difference) {
      sums.counted += std::abs(truth) < thresholds::kMaskMagnitude ? 1 : 0;
      sums.max_absolute = std::max(sums.max_absolute, difference);
      sums.squares += difference * difference;
    });
    pieces[static_cast<size_t>(piece)] = sums;
  });
  Sums sums;
  for (const Sums& piece : pieces) {
    sums.max_absolute = std::max(sums.max_absolute, piece.max_absolute);
    sums.squares += piece.squares;
    sums.counted += piece.counted;
  }
  return sums;
}

}  // namespace

TruthDistance TruthDistanceOf(const Tensor& own, const Tensor& in_double, const ThreadPool* pool) {
  TruthDistance distance;
  distance.dtype = own.dtype();
  const Sums sums = SumsOf(own, in_double, pool);
  distance.max_absolute = sums.max_absolute;
  distance.rms =
      std::sqrt(sums.squares / static_cast<double>(std::max<int64_t>(own.num_elements(), 1)));
  // Usually all of them count, and need not be copied.
  if (sums.counted == in_double.num_elements() && in_double.dtype() == DType::kDouble &&
      in_double.is_contiguous()) {
    distance.scale = ScaleOf(absl::MakeConstSpan(in_double.data<double>(), sums.counted), pool);
    return distance;
  }
  std::vector<double> elements;
  elements.reserve(static_cast<size_t>(sums.counted));
  ForEachDistance(own, in_double, 0, own.num_elements(), [&](double truth, double /*difference*/) {
    if (std::abs(truth) < thresholds::kMaskMagnitude) elements.push_back(truth);
  });
  distance.scale = ScaleOf(elements, pool);
  return distance;
}

double GreatestTruthDistance(const Tensor& own, const Tensor& in_double, const ThreadPool* pool) {
  return SumsOf(own, in_double, pool).max_absolute;
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

TruthFinding JudgeTruth(const TruthDistance& left, const TruthDistance& right) {
  TruthFinding finding;
  finding.left = left.relative();
  finding.right = right.relative();
  // A result that is exact by chance is no nearer than one rounded to the finer type.
  const double least = std::min(EpsilonOf(left.dtype), EpsilonOf(right.dtype)) / 8;
  const double a = std::max(finding.left, least);
  const double b = std::max(finding.right, least);
  if (a == b || !(a > 0) || !(b > 0)) return finding;
  finding.factor = a < b ? b / a : a / b;
  if (finding.factor >= 4) finding.nearer = a < b ? Nearer::kLeft : Nearer::kRight;
  return finding;
}

std::string NearerText(const TruthFinding& finding) {
  if (finding.nearer == Nearer::kEqual) return "both are equally good";
  // If one side is exact or the other not finite, there is no factor.
  const std::string times = !std::isfinite(finding.factor) ? ""
                            : finding.factor >= 1e5 ? absl::StrFormat("%.1e times ", finding.factor)
                            : finding.factor >= 10  ? absl::StrFormat("%.0f times ", finding.factor)
                                                   : absl::StrFormat("%.1f times ", finding.factor);
  return absl::StrCat("the ", NearerName(finding.nearer), " is ", times, "nearer");
}

}  // namespace onnxcmp
