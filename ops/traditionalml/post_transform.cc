#include "ops/traditionalml/post_transform.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

template <typename S>
void SoftmaxZero(S* row, int64_t count) {
  const S max = LaneMax(row, count);
  S exp_of_zero = -max;
  vec::Exp(&exp_of_zero, 1, &exp_of_zero);
  S sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (row[i] > S{1e-7} || row[i] < S{-1e-7}) {
      row[i] -= max;
      vec::Exp(row + i, 1, row + i);
      sum += row[i];
    } else {
      row[i] *= exp_of_zero;
    }
  }
  for (int64_t i = 0; i < count; ++i) row[i] /= sum;
}

// Winitzki's erfinv with a = 0.147, at 2 x - 1; 1 - (2 x - 1)^2 is 4 x (1 - x).
double Probit(double x) {
  constexpr double kA = 0.147;
  constexpr double kPi = 3.14159265358979323846;
  double log = 4 * x * (1 - x);
  vec::Log(&log, 1, &log);
  if (std::isinf(log)) return x < 0.5 ? log : -log;
  const double half = 2 / (kPi * kA) + log / 2;
  const double inverse = std::sqrt(std::sqrt(half * half - log / kA) - half);
  return std::sqrt(2.0) * (x < 0.5 ? -inverse : inverse);
}

}  // namespace

absl::StatusOr<PostTransform> ParsePostTransform(absl::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) {
    return absl::InvalidArgumentError(absl::StrCat("post_transform '", name, "' is unknown"));
  }
  return static_cast<PostTransform>(found - std::begin(kNames));
}

absl::StatusOr<PostTransform> PostTransformFromNumber(int64_t number) {
  if (number < 0 || number >= std::ssize(kNames)) {
    return absl::InvalidArgumentError(absl::StrCat("post_transform ", number, " is unknown"));
  }
  return static_cast<PostTransform>(number);
}

template <typename S>
void ApplyPostTransform(PostTransform transform, S* row, int64_t count) {
  switch (transform) {
    case PostTransform::kNone:
      return;
    case PostTransform::kSoftmax:
      return SoftmaxLane(row, count, row);
    case PostTransform::kLogistic:
      return vec::Sigmoid(row, count, row);
    case PostTransform::kSoftmaxZero:
      return SoftmaxZero(row, count);
    case PostTransform::kProbit:
      std::transform(row, row + count, row, [](S x) { return static_cast<S>(Probit(x)); });
      return;
  }
}

template void ApplyPostTransform<float>(PostTransform, float*, int64_t);
template void ApplyPostTransform<double>(PostTransform, double*, int64_t);

}  // namespace onnxcmp
