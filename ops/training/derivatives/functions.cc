// Functions of one variable: dX = dY * f'(X).
#include <numbers>
#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void GiveProduct(DerivativeBuilder& d, const std::string& slope) {
  d.Give(0, d.Op("Mul", {d.dy(), slope}));
}

std::string Square(DerivativeBuilder& d, const std::string& x) { return d.Op("Mul", {x, x}); }

// 1 + x * x, 1 - x * x.
std::string OnePlusSquare(DerivativeBuilder& d, const std::string& x) {
  return d.Op("Add", {d.Scalar(1, x), Square(d, x)});
}
std::string OneMinusSquare(DerivativeBuilder& d, const std::string& x) {
  return d.Op("Sub", {d.Scalar(1, x), Square(d, x)});
}

// sign X, which is 0 at 0.
void Abs(DerivativeBuilder& d) { GiveProduct(d, d.Op("Sign", {d.input(0)})); }

void Exp(DerivativeBuilder& d) { GiveProduct(d, d.output()); }
void Log(DerivativeBuilder& d) { d.Give(0, d.Op("Div", {d.dy(), d.input(0)})); }

// 1 / (2 Y).
void Sqrt(DerivativeBuilder& d) {
  const std::string half = d.Op("Mul", {d.dy(), d.Scalar(0.5, d.dy())});
  d.Give(0, d.Op("Div", {half, d.output()}));
}

// -Y * Y.
void Reciprocal(DerivativeBuilder& d) { GiveProduct(d, d.Op("Neg", {Square(d, d.output())})); }

// 2 / sqrt(pi) * exp(-X * X).
void Erf(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string bell = d.Op("Exp", {d.Op("Neg", {Square(d, x)})});
  GiveProduct(d, d.Op("Mul", {bell, d.Scalar(2 * std::numbers::inv_sqrtpi, x)}));
}

void Sin(DerivativeBuilder& d) { GiveProduct(d, d.Op("Cos", {d.input(0)})); }
void Cos(DerivativeBuilder& d) { GiveProduct(d, d.Op("Neg", {d.Op("Sin", {d.input(0)})})); }
void Tan(DerivativeBuilder& d) { GiveProduct(d, OnePlusSquare(d, d.output())); }

// 1 / sqrt(1 - X * X).
void Asin(DerivativeBuilder& d) {
  d.Give(0, d.Op("Div", {d.dy(), d.Op("Sqrt", {OneMinusSquare(d, d.input(0))})}));
}
void Acos(DerivativeBuilder& d) {
  const std::string root = d.Op("Sqrt", {OneMinusSquare(d, d.input(0))});
  d.Give(0, d.Op("Neg", {d.Op("Div", {d.dy(), root})}));
}
void Atan(DerivativeBuilder& d) { d.Give(0, d.Op("Div", {d.dy(), OnePlusSquare(d, d.input(0))})); }

void Sinh(DerivativeBuilder& d) { GiveProduct(d, d.Op("Cosh", {d.input(0)})); }
void Cosh(DerivativeBuilder& d) { GiveProduct(d, d.Op("Sinh", {d.input(0)})); }
void Tanh(DerivativeBuilder& d) { GiveProduct(d, OneMinusSquare(d, d.output())); }

// 1 / sqrt(X * X + 1), 1 / sqrt(X * X - 1), 1 / (1 - X * X).
void Asinh(DerivativeBuilder& d) {
  d.Give(0, d.Op("Div", {d.dy(), d.Op("Sqrt", {OnePlusSquare(d, d.input(0))})}));
}
void Acosh(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string root = d.Op("Sqrt", {d.Op("Sub", {Square(d, x), d.Scalar(1, x)})});
  d.Give(0, d.Op("Div", {d.dy(), root}));
}
void Atanh(DerivativeBuilder& d) {
  d.Give(0, d.Op("Div", {d.dy(), OneMinusSquare(d, d.input(0))}));
}

}  // namespace

void AddFunctionDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Abs", {1, 13}, Abs);
  rules.Add(kOnnxDomain, "Acos", {7, 22}, Acos);
  rules.Add(kOnnxDomain, "Acosh", {9, 22}, Acosh);
  rules.Add(kOnnxDomain, "Asin", {7, 22}, Asin);
  rules.Add(kOnnxDomain, "Asinh", {9, 22}, Asinh);
  rules.Add(kOnnxDomain, "Atan", {7, 22}, Atan);
  rules.Add(kOnnxDomain, "Atanh", {9, 22}, Atanh);
  rules.Add(kOnnxDomain, "Cos", {7, 22}, Cos);
  rules.Add(kOnnxDomain, "Cosh", {9, 22}, Cosh);
  rules.Add(kOnnxDomain, "Erf", {9, 13}, Erf);
  rules.Add(kOnnxDomain, "Exp", {1, 13}, Exp);
  rules.Add(kOnnxDomain, "Log", {1, 13}, Log);
  rules.Add(kOnnxDomain, "Reciprocal", {1, 13}, Reciprocal);
  rules.Add(kOnnxDomain, "Sin", {7, 22}, Sin);
  rules.Add(kOnnxDomain, "Sinh", {9, 22}, Sinh);
  rules.Add(kOnnxDomain, "Sqrt", {1, 13}, Sqrt);
  rules.Add(kOnnxDomain, "Tan", {7, 22}, Tan);
  rules.Add(kOnnxDomain, "Tanh", {1, 13}, Tanh);
}

}  // namespace onnxcmp
