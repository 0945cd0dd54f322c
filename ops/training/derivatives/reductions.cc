#include <cstdint>
#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// A reduction's axes: an attribute at first, later an input. "": all, or none.
std::string AxesOf(DerivativeBuilder& d, int axes_input_since) {
  if (d.version() >= axes_input_since) {
    if (d.num_inputs() > 1) d.GiveNone(1);
    return d.input(1);
  }
  const std::vector<int64_t> axes = d.Ints("axes");
  return axes.empty() ? "" : d.Vector(axes);
}

// A value of the result's shape, repeated along the axes that were reduced.
std::string Repeated(DerivativeBuilder& d, const std::string& value, const std::string& axes) {
  const bool lacks_axes = d.Int("keepdims") == 0 && !axes.empty();
  return d.Op("Expand",
              {lacks_axes ? d.Op("Unsqueeze", {value, axes}) : value, d.ShapeOf(d.input(0))});
}

void ReduceSum(DerivativeBuilder& d) { d.Give(0, Repeated(d, d.dy(), AxesOf(d, 13))); }

// dY divided by how many elements of X make one of Y. In double: float16 counts to 2048 and ends at
// 65504.
std::string Share(DerivativeBuilder& d) {
  const auto to_double = [&d](const std::string& value) {
    return d.Op("Cast", {value}, {{"to", static_cast<int64_t>(DType::kDouble)}});
  };
  const auto size = [&](const std::string& value) { return to_double(d.Op("Size", {value})); };
  const std::string count = d.Op("Div", {size(d.input(0)), size(d.output())});
  return d.Op("CastLike", {d.Op("Div", {to_double(d.dy()), count}), d.dy()});
}

void ReduceMean(DerivativeBuilder& d) {
  const std::string axes = AxesOf(d, 18);
  d.Give(0, Repeated(d, Share(d), axes));
}

// All axes but the first two.
void GlobalAveragePool(DerivativeBuilder& d) {
  d.Give(0, d.Op("Expand", {Share(d), d.ShapeOf(d.input(0))}));
}

// ReduceMax, ReduceMin: dY goes to the element that was chosen, and in equal parts to those that
// are equal.
void ReducedChoice(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string axes = AxesOf(d, 18);
  const std::string chosen = d.Op("Equal", {x, Repeated(d, d.output(), axes)});
  const std::string noop = "noop_with_empty_axes";
  const std::string count = d.Op("ReduceSum", {d.Op("CastLike", {chosen, x}), axes},
                                 {{"keepdims", d.Int("keepdims")}, {noop, d.Int(noop)}});
  const std::string part = Repeated(d, d.Op("Div", {d.dy(), count}), axes);
  d.Give(0, d.Op("Where", {chosen, part, d.Scalar(0, x)}));
}

// 2 X.
void ReduceSumSquare(DerivativeBuilder& d) {
  const std::string axes = AxesOf(d, 18);
  const std::string twice = d.Op("Mul", {d.input(0), d.Scalar(2, d.input(0))});
  d.Give(0, d.Op("Mul", {Repeated(d, d.dy(), axes), twice}));
}

// X / Y.
void ReduceL2(DerivativeBuilder& d) {
  const std::string axes = AxesOf(d, 18);
  const std::string part = d.Op("Div", {d.dy(), d.output()});
  d.Give(0, d.Op("Mul", {Repeated(d, part, axes), d.input(0)}));
}

}  // namespace

void AddReductionDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "GlobalAveragePool", {1, 22}, GlobalAveragePool);
  rules.Add(kOnnxDomain, "ReduceL2", {1, 18}, ReduceL2);
  rules.Add(kOnnxDomain, "ReduceMax", {1, 20}, ReducedChoice);
  rules.Add(kOnnxDomain, "ReduceMean", {1, 18}, ReduceMean);
  rules.Add(kOnnxDomain, "ReduceMin", {1, 20}, ReducedChoice);
  rules.Add(kOnnxDomain, "ReduceSum", {1, 13}, ReduceSum);
  rules.Add(kOnnxDomain, "ReduceSumSquare", {1, 18}, ReduceSumSquare);
}

}  // namespace onnxcmp
