#include <cstdint>
#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// For each channel Y = hat * scale + B, hat = (X - mean) / sqrt(var + epsilon), with a mean and a
// variance that are given: dX is the same function of dY, without mean and B.
void BatchNormalization(DerivativeBuilder& d) {
  if (d.Int("training_mode") != 0 || (d.version() < 14 && d.num_outputs() > 1)) {
    return d.Refuse("it is in training");
  }
  const Attributes epsilon = {{"epsilon", d.Float("epsilon")}};
  const std::string scale = d.input(1);
  const std::string variance = d.input(4);
  const auto zero = d.ZerosLike(scale);
  const auto no_mean = d.ZerosLike(variance);
  d.Give(0, d.Op("BatchNormalization", {d.dy(), scale, zero, no_mean, variance}, epsilon));

  const std::string hat = d.Op(
      "BatchNormalization", {d.input(0), d.OnesLike(scale), zero, d.input(3), variance}, epsilon);
  d.Give(1, d.Op("CastLike", {d.SumPerChannel(d.Op("Mul", {d.dy(), hat})), scale}));
  d.Give(2, d.Op("CastLike", {d.SumPerChannel(d.dy()), d.input(2)}));
}

void LayerNormalization(DerivativeBuilder& d) {
  if (d.HasGradient(1) || d.HasGradient(2)) return d.Refuse("its mean or deviation is used");
  const bool has_statistics = d.HasOutput(1) && d.HasOutput(2);
  const std::vector<std::string> again =
      d.Ops("LayerNormalization", {d.input(0), d.input(1), d.input(2)}, d.attributes(), 3);
  const std::string mean = has_statistics ? d.output(1) : again[1];
  const std::string deviation = has_statistics ? d.output(2) : again[2];
  const std::vector<std::string> gradients =
      d.MicrosoftOps("LayerNormalizationGrad", {d.dy(), d.input(0), d.input(1), mean, deviation},
                     {{"axis", d.Int("axis")}}, 3);
  for (int i = 0; i < d.num_inputs(); ++i) d.Give(i, gradients[static_cast<size_t>(i)]);
}

}  // namespace

// BatchNormalization before version 9 had modes of its own.
void AddNormalizationDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "BatchNormalization", {9, 15}, BatchNormalization);
  rules.Add(kOnnxDomain, "LayerNormalization", {17, 17}, LayerNormalization);
}

}  // namespace onnxcmp
