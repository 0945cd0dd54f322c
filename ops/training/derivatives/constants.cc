// Operators whose results do not change with their inputs, or jump: their derivative is 0 where it
// is defined. Most of them give integers or booleans.
#include "absl/strings/string_view.h"
#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

struct Operator {
  absl::string_view domain, name;
  DerivativeRules::Versions versions;
};

constexpr Operator kOperators[] = {
    {kOnnxDomain, "And", {1, 7}},
    {kOnnxDomain, "ArgMax", {1, 13}},
    {kOnnxDomain, "ArgMin", {1, 13}},
    {kOnnxDomain, "Ceil", {1, 13}},
    {kOnnxDomain, "ConstantOfShape", {9, 25}},
    {kOnnxDomain, "Equal", {1, 19}},
    {kOnnxDomain, "EyeLike", {9, 22}},
    {kOnnxDomain, "Floor", {1, 13}},
    {kOnnxDomain, "Greater", {1, 13}},
    {kOnnxDomain, "GreaterOrEqual", {12, 16}},
    {kOnnxDomain, "IsInf", {10, 20}},
    {kOnnxDomain, "IsNaN", {9, 20}},
    {kOnnxDomain, "Less", {1, 13}},
    {kOnnxDomain, "LessOrEqual", {12, 16}},
    {kOnnxDomain, "NonZero", {9, 13}},
    {kOnnxDomain, "Not", {1, 1}},
    {kOnnxDomain, "Or", {1, 7}},
    {kOnnxDomain, "RandomNormalLike", {1, 22}},
    {kOnnxDomain, "RandomUniformLike", {1, 22}},
    {kOnnxDomain, "Round", {11, 22}},
    {kOnnxDomain, "Shape", {1, 25}},
    {kOnnxDomain, "Sign", {9, 13}},
    {kOnnxDomain, "Size", {1, 25}},
    {kOnnxDomain, "Xor", {1, 7}},
    {kMicrosoftDomain, "BroadcastGradientArgs", {1, 1}},
};

}  // namespace

void AddConstantDerivatives(DerivativeRules& rules) {
  for (const Operator& op : kOperators) {
    rules.Add(op.domain, op.name, op.versions, [](DerivativeBuilder& d) {
      for (int i = 0; i < d.num_inputs(); ++i) d.GiveNone(i);
    });
  }
}

}  // namespace onnxcmp
