#include <cstdint>
#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// Y = A' B', where ' transposes what its flag says.
struct Product {
  std::string a, b;
  bool transposes_a = false;
  bool transposes_b = false;
};

struct Gradients {
  std::string a, b;
};

// dA' = dY B'^T and dB' = A'^T dY, with the factors in the order and the transpositions that give
// dA and dB themselves. `multiply(x, y, transposes_x, transposes_y)` makes a product.
template <typename Multiply>
Gradients OfFactors(const Product& p, const std::string& dy, const Multiply& multiply) {
  return {p.transposes_a ? multiply(p.b, dy, p.transposes_b, true)
                         : multiply(dy, p.b, false, !p.transposes_b),
          p.transposes_b ? multiply(dy, p.a, true, p.transposes_a)
                         : multiply(p.a, dy, !p.transposes_a, false)};
}

// Products of the last two axes, the others broadcast. FusedMatMul transposes without being told
// the number of axes.
Gradients OfMatrices(DerivativeBuilder& d, const Product& p, const std::string& dy, float alpha) {
  return OfFactors(p, dy, [&](const std::string& x, const std::string& y, bool tx, bool ty) {
    return d.MicrosoftOp("FusedMatMul", {x, y},
                         {{"alpha", alpha}, {"transA", int64_t{tx}}, {"transB", int64_t{ty}}});
  });
}

// {`axis`} if a value has one axis, else {}: where MatMul sees one more. "": it has more for sure.
std::string AxisOfVector(DerivativeBuilder& d, const std::string& value, int64_t axis) {
  if (const std::optional<int> rank = d.Rank(value); rank.has_value()) {
    return *rank >= 2 ? "" : d.Vector({axis});
  }
  // The end of a slice is 1 for one axis, else 0 or counted from the back, which is before 0.
  const std::string rank = d.ShapeOf(d.ShapeOf(value));
  const std::string end = d.Op("Sub", {d.Vector({2}), rank});
  return d.Op("Slice", {d.Vector({axis}), d.Vector({0}), end});
}

std::string UnsqueezeAt(DerivativeBuilder& d, const std::string& value, const std::string& axes) {
  return axes.empty() ? value : d.Op("Unsqueeze", {value, axes});
}

// A vector A is a row, a vector B a column, and Y lacks their axes.
void MatMul(DerivativeBuilder& d) {
  const std::string axis_of_a = AxisOfVector(d, d.input(0), -2);
  const std::string axis_of_b = AxisOfVector(d, d.input(1), -1);
  const Product product = {UnsqueezeAt(d, d.input(0), axis_of_a),
                           UnsqueezeAt(d, d.input(1), axis_of_b)};
  std::string dy = UnsqueezeAt(d, d.dy(), axis_of_a);
  if (!axis_of_a.empty() && !axis_of_b.empty()) {
    const Attributes axis = {{"axis", int64_t{0}}};
    dy = d.Op("Unsqueeze", {d.dy(), d.Op("Concat", {axis_of_a, axis_of_b}, axis)});
  } else if (!axis_of_b.empty()) {
    dy = UnsqueezeAt(d, d.dy(), axis_of_b);
  }
  const Gradients gradients = OfMatrices(d, product, dy, 1);
  const auto give = [&d](int i, const std::string& gradient, const std::string& matrix) {
    const std::string sum = d.SumTo(gradient, matrix);
    d.Give(i, matrix == d.input(i) ? sum : d.ReshapeTo(sum, d.input(i)));
  };
  give(0, gradients.a, product.a);
  give(1, gradients.b, product.b);
}

void FusedMatMul(DerivativeBuilder& d) {
  if (d.Int("transBatchA") != 0 || d.Int("transBatchB") != 0) {
    return d.Refuse("it transposes batches");
  }
  const Product product = {d.input(0), d.input(1), d.Int("transA") != 0, d.Int("transB") != 0};
  const Gradients gradients = OfMatrices(d, product, d.dy(), d.Float("alpha"));
  d.Give(0, d.SumTo(gradients.a, d.input(0)));
  d.Give(1, d.SumTo(gradients.b, d.input(1)));
}

// Y = alpha * A' B' + beta * C.
void Gemm(DerivativeBuilder& d) {
  const Product product = {d.input(0), d.input(1), d.Int("transA") != 0, d.Int("transB") != 0};
  const float alpha = d.Float("alpha");
  const Gradients gradients =
      OfFactors(product, d.dy(), [&](const auto& x, const auto& y, bool tx, bool ty) {
        return d.Op("Gemm", {x, y},
                    {{"alpha", alpha}, {"transA", int64_t{tx}}, {"transB", int64_t{ty}}});
      });
  d.Give(0, gradients.a);
  d.Give(1, gradients.b);
  if (!d.HasInput(2)) return;
  const std::string sum = d.SumTo(d.dy(), d.input(2));
  const float beta = d.Float("beta");
  d.Give(2, beta == 1 ? sum : d.Op("Mul", {sum, d.Scalar(beta, sum)}));
}

}  // namespace

// Gemm before version 7 broadcast C only where an attribute said so.
void AddProductDerivatives(DerivativeRules& rules) {
  rules.Add(kMicrosoftDomain, "FusedMatMul", {1, 1}, FusedMatMul);
  rules.Add(kOnnxDomain, "Gemm", {7, 13}, Gemm);
  rules.Add(kOnnxDomain, "MatMul", {1, 13}, MatMul);
}

}  // namespace onnxcmp
