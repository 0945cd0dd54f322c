#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void Add(DerivativeBuilder& d) {
  d.Give(0, d.SumTo(d.dy(), d.input(0)));
  d.Give(1, d.SumTo(d.dy(), d.input(1)));
}

void Sub(DerivativeBuilder& d) {
  d.Give(0, d.SumTo(d.dy(), d.input(0)));
  d.Give(1, d.SumTo(d.Op("Neg", {d.dy()}), d.input(1)));
}

// dA = dY * B, dB = dY * A.
void Mul(DerivativeBuilder& d) {
  d.Give(0, d.SumTo(d.Op("Mul", {d.dy(), d.input(1)}), d.input(0)));
  d.Give(1, d.SumTo(d.Op("Mul", {d.dy(), d.input(0)}), d.input(1)));
}

// dA = dY / B, dB = -dY / B * Y.
void Div(DerivativeBuilder& d) {
  const std::string over_b = d.Op("Div", {d.dy(), d.input(1)});
  d.Give(0, d.SumTo(over_b, d.input(0)));
  d.Give(1, d.SumTo(d.Op("Neg", {d.Op("Mul", {over_b, d.output()})}), d.input(1)));
}

// dX = dY * B * X^(B - 1), 0 where B is 0; dB = dY * Y * log X, 0 where X is 0 and B is not
// negative, as the limit is. B may have a type of its own.
void Pow(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string b = d.Op("CastLike", {d.input(1), x});
  const std::string zero = d.Scalar(0, x);
  const std::string less = d.Op("Pow", {x, d.Op("Sub", {b, d.Scalar(1, x)})});
  const std::string dx = d.Op("Mul", {d.dy(), d.Op("Mul", {b, less})});
  d.Give(0, d.SumTo(d.Op("Where", {d.Op("Equal", {b, zero}), zero, dx}), x));
  const std::string vanishes =
      d.Op("And", {d.Op("Equal", {x, zero}), d.Op("GreaterOrEqual", {b, zero})});
  const std::string db = d.Op("Mul", {d.dy(), d.Op("Mul", {d.output(), d.Op("Log", {x})})});
  const std::string sum = d.SumTo(d.Op("Where", {vanishes, zero, db}), b);
  d.Give(1, d.Op("CastLike", {sum, d.input(1)}));
}

void Neg(DerivativeBuilder& d) { d.Give(0, d.Op("Neg", {d.dy()})); }

// Every input has the gradient of the sum.
void Sum(DerivativeBuilder& d) {
  for (int i = 0; i < d.num_inputs(); ++i) d.Give(i, d.SumTo(d.dy(), d.input(i)));
}

void Mean(DerivativeBuilder& d) {
  const std::string part = d.Op("Div", {d.dy(), d.Scalar(d.num_inputs(), d.dy())});
  for (int i = 0; i < d.num_inputs(); ++i) d.Give(i, d.SumTo(part, d.input(i)));
}

// Max and Min: dY goes to the input that was chosen, and in equal parts to those that are equal.
void Choice(DerivativeBuilder& d) {
  const std::string zero = d.Scalar(0, d.output());
  std::vector<std::string> chosen;
  std::vector<std::string> counted;
  for (int i = 0; i < d.num_inputs(); ++i) {
    chosen.push_back(d.Op("Equal", {d.input(i), d.output()}));
    counted.push_back(d.Op("CastLike", {chosen.back(), d.output()}));
  }
  const std::string part = d.Op("Div", {d.dy(), d.Op("Sum", counted)});
  for (int i = 0; i < d.num_inputs(); ++i) {
    const std::string mine = d.Op("Where", {chosen[static_cast<size_t>(i)], part, zero});
    d.Give(i, d.SumTo(mine, d.input(i)));
  }
}

}  // namespace

void AddArithmeticDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Add", {7, 14}, Add);
  rules.Add(kOnnxDomain, "Div", {7, 14}, Div);
  rules.Add(kOnnxDomain, "Max", {8, 13}, Choice);
  rules.Add(kOnnxDomain, "Mean", {8, 13}, Mean);
  rules.Add(kOnnxDomain, "Min", {8, 13}, Choice);
  rules.Add(kOnnxDomain, "Mul", {7, 14}, Mul);
  rules.Add(kOnnxDomain, "Neg", {1, 13}, Neg);
  rules.Add(kOnnxDomain, "Pow", {7, 15}, Pow);
  rules.Add(kOnnxDomain, "Sub", {7, 14}, Sub);
  rules.Add(kOnnxDomain, "Sum", {8, 13}, Sum);
}

}  // namespace onnxcmp
