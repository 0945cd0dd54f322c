#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// dY * `slope` where X <= 0, else dY * `other` (nothing: dY).
void GiveByHalf(DerivativeBuilder& d, const std::string& slope, const std::string& other = "") {
  const std::string right = other.empty() ? d.dy() : d.Op("Mul", {d.dy(), other});
  const std::string is_left = d.Op("LessOrEqual", {d.input(0), d.Scalar(0, d.input(0))});
  d.Give(0, d.Op("Where", {is_left, d.Op("Mul", {d.dy(), slope}), right}));
}

// At 0 the slope is that of the negative half. NaN is in neither.
void Relu(DerivativeBuilder& d) {
  const std::string zero = d.Scalar(0, d.input(0));
  d.Give(0, d.Op("Where", {d.Op("LessOrEqual", {d.input(0), zero}), zero, d.dy()}));
}

void LeakyRelu(DerivativeBuilder& d) { GiveByHalf(d, d.Scalar(d.Float("alpha"), d.dy())); }

// X <= 0: Y = alpha * (exp X - 1), whose slope is Y + alpha.
void Elu(DerivativeBuilder& d) {
  GiveByHalf(d, d.Op("Add", {d.output(), d.Scalar(d.Float("alpha"), d.output())}));
}

// X <= 0: Y = gamma * (alpha * exp X - alpha), whose slope is Y + gamma * alpha; else gamma.
void Selu(DerivativeBuilder& d) {
  const double gamma = d.Float("gamma");
  const double alpha = d.Float("alpha");
  GiveByHalf(d, d.Op("Add", {d.output(), d.Scalar(gamma * alpha, d.output())}),
             d.Scalar(gamma, d.output()));
}

// X < 0: Y = slope * X.
void PRelu(DerivativeBuilder& d) {
  const std::string zero = d.Scalar(0, d.input(0));
  const std::string is_negative = d.Op("Less", {d.input(0), zero});
  d.Give(0, d.Op("Where", {is_negative, d.Op("Mul", {d.dy(), d.input(1)}), d.dy()}));
  const std::string times_x = d.Op("Mul", {d.dy(), d.input(0)});
  d.Give(1, d.SumTo(d.Op("Where", {is_negative, times_x, zero}), d.input(1)));
}

// Y * (1 - Y).
void Sigmoid(DerivativeBuilder& d) {
  const std::string rest = d.Op("Sub", {d.Scalar(1, d.output()), d.output()});
  d.Give(0, d.Op("Mul", {d.dy(), d.Op("Mul", {d.output(), rest})}));
}

// Y = max(0, min(1, alpha * X + beta)): alpha where Y is between 0 and 1.
void HardSigmoid(DerivativeBuilder& d) {
  const std::string y = d.output();
  const std::string zero = d.Scalar(0, y);
  const std::string is_between =
      d.Op("And", {d.Op("Greater", {y, zero}), d.Op("Less", {y, d.Scalar(1, y)})});
  const std::string inside = d.Op("Mul", {d.dy(), d.Scalar(d.Float("alpha"), y)});
  d.Give(0, d.Op("Where", {is_between, inside, zero}));
}

// Y = log(1 + exp X): sigmoid X.
void Softplus(DerivativeBuilder& d) {
  d.Give(0, d.Op("Mul", {d.dy(), d.Op("Sigmoid", {d.input(0)})}));
}

// Y = X / (1 + |X|): 1 / (1 + |X|)^2.
void Softsign(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string below = d.Op("Add", {d.Scalar(1, x), d.Op("Abs", {x})});
  d.Give(0, d.Op("Div", {d.dy(), d.Op("Mul", {below, below})}));
}

void Gelu(DerivativeBuilder& d) {
  const bool is_fast = d.String("approximate") == "tanh";
  d.Give(0, d.MicrosoftOp(is_fast ? "FastGeluGrad" : "GeluGrad", {d.dy(), d.input(0)}));
}

}  // namespace

void AddActivationDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Elu", {1, 22}, Elu);
  rules.Add(kOnnxDomain, "Gelu", {20, 20}, Gelu);
  rules.Add(kOnnxDomain, "HardSigmoid", {1, 22}, HardSigmoid);
  rules.Add(kOnnxDomain, "LeakyRelu", {1, 16}, LeakyRelu);
  rules.Add(kOnnxDomain, "PRelu", {7, 16}, PRelu);
  rules.Add(kOnnxDomain, "Relu", {1, 14}, Relu);
  rules.Add(kOnnxDomain, "Selu", {1, 22}, Selu);
  rules.Add(kOnnxDomain, "Sigmoid", {1, 13}, Sigmoid);
  rules.Add(kOnnxDomain, "Softplus", {1, 22}, Softplus);
  rules.Add(kOnnxDomain, "Softsign", {1, 22}, Softsign);
}

}  // namespace onnxcmp
