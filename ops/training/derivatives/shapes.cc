// Operators that give the same elements in another shape, order or type.
#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void Identity(DerivativeBuilder& d) { d.Give(0, d.dy()); }

// Reshape, Flatten, Squeeze, Unsqueeze; what is said by a second input has no gradient.
void Reshape(DerivativeBuilder& d) {
  d.Give(0, d.ReshapeTo(d.dy(), d.input(0)));
  for (int i = 1; i < d.num_inputs(); ++i) d.GiveNone(i);
}

void Expand(DerivativeBuilder& d) {
  d.Give(0, d.SumTo(d.dy(), d.input(0)));
  d.GiveNone(1);
}

// The inverse permutation; without one the axes are reversed, and reversed again.
void Transpose(DerivativeBuilder& d) {
  const std::vector<int64_t> perm = d.Ints("perm");
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || perm[i] >= static_cast<int64_t>(perm.size())) {
      return d.Refuse("its perm is no permutation");
    }
    inverse[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  }
  Attributes attributes;
  if (!perm.empty()) attributes["perm"] = inverse;
  d.Give(0, d.Op("Transpose", {d.dy()}, attributes));
}

// Between floats, as if nothing were rounded. Integers jump.
void Cast(DerivativeBuilder& d) {
  if (!IsFloatingPoint(static_cast<DType>(d.Int("to")))) return d.GiveNone(0);
  d.Give(0, d.Op("CastLike", {d.dy(), d.input(0)}));
}

// The same for the type of a second input, which only a run knows: 1.5 is 1.5 in a type of floats.
void CastLike(DerivativeBuilder& d) {
  const std::string x = d.input(0);
  const std::string same = d.Op("CastLike", {d.Scalar(1.5, d.input(1)), x});
  const std::string is_float = d.Op("Equal", {same, d.Scalar(1.5, x)});
  const std::string dx = d.Op("CastLike", {d.dy(), x});
  d.Give(0, d.Op("Where", {is_float, dx, d.Scalar(0, x)}));
  d.GiveNone(1);
}

}  // namespace

void AddShapeDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Cast", {6, 28}, Cast);
  rules.Add(kOnnxDomain, "CastLike", {15, 25}, CastLike);
  rules.Add(kOnnxDomain, "Expand", {8, 13}, Expand);
  rules.Add(kOnnxDomain, "Flatten", {1, 25}, Reshape);
  rules.Add(kOnnxDomain, "Identity", {1, 25}, Identity);
  rules.Add(kOnnxDomain, "Reshape", {1, 25}, Reshape);
  rules.Add(kOnnxDomain, "Squeeze", {1, 25}, Reshape);
  rules.Add(kOnnxDomain, "Transpose", {1, 25}, Transpose);
  rules.Add(kOnnxDomain, "Unsqueeze", {1, 25}, Reshape);
}

}  // namespace onnxcmp
