#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// The sum along the operator's axis, which stays as 1.
std::string SumAlongAxis(DerivativeBuilder& d, const std::string& x) {
  return d.Op("ReduceSum", {x, d.Vector({d.Int("axis")})});
}

// dX = (dY - sum(dY * Y)) * Y.
void Softmax(DerivativeBuilder& d) {
  const std::string sum = SumAlongAxis(d, d.Op("Mul", {d.dy(), d.output()}));
  d.Give(0, d.Op("Mul", {d.Op("Sub", {d.dy(), sum}), d.output()}));
}

// dX = dY - exp(Y) * sum(dY).
void LogSoftmax(DerivativeBuilder& d) {
  const std::string share = d.Op("Mul", {d.Op("Exp", {d.output()}), SumAlongAxis(d, d.dy())});
  d.Give(0, d.Op("Sub", {d.dy(), share}));
}

}  // namespace

// Before version 13 all axes from `axis` on were one.
void AddSoftmaxDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "LogSoftmax", {13, 13}, LogSoftmax);
  rules.Add(kOnnxDomain, "Softmax", {13, 13}, Softmax);
}

}  // namespace onnxcmp
