#include "ops/nn/lp_norm.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

template <typename C>
void PowOf(const C* x, int64_t count, C exponent, C* y) {
  C exponents[vec::kMaxStrip];
  std::fill_n(exponents, std::min(count, vec::kMaxStrip), exponent);
  for (int64_t i = 0; i < count; i += vec::kMaxStrip) {
    vec::Pow(x + i, exponents, std::min(vec::kMaxStrip, count - i), y + i);
  }
}

}  // namespace

absl::StatusOr<double> NormOrder(const KernelInit& node) {
  const double p = node.version() == 1 && node.node().op_type != "LpNormalization"
                       ? static_cast<double>(node.Float("p"))
                       : static_cast<double>(node.Int("p"));
  if (!(p > 0)) {
    return absl::InvalidArgumentError(absl::StrCat("p must be positive, not ", p));
  }
  return p;
}

template <typename C>
void PowersOf(const C* x, int64_t count, double p, C* y) {
  if (p == 2) {
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] * x[i];
    return;
  }
  for (int64_t i = 0; i < count; ++i) y[i] = std::abs(x[i]);
  if (p != 1) PowOf(y, count, static_cast<C>(p), y);
}

template <typename C>
void RootsOf(const C* x, int64_t count, double p, C* y) {
  if (p == 1) {
    std::copy_n(x, count, y);
  } else if (p == 2) {
    vec::Sqrt(x, count, y);
  } else {
    PowOf(x, count, static_cast<C>(1 / p), y);
  }
}

template void PowersOf<float>(const float*, int64_t, double, float*);
template void PowersOf<double>(const double*, int64_t, double, double*);
template void RootsOf<float>(const float*, int64_t, double, float*);
template void RootsOf<double>(const double*, int64_t, double, double*);

}  // namespace onnxcmp
