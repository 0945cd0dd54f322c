#include <cstdint>
#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void SoftmaxCrossEntropyLoss(DerivativeBuilder& d) {
  if (d.HasGradient(1)) return d.Refuse("its logarithms are used");
  const std::string log_prob =
      d.HasOutput(1) ? d.output(1) : d.Op("LogSoftmax", {d.input(0)}, {{"axis", int64_t{1}}});
  std::vector<std::string> inputs = {d.dy(), log_prob, d.input(1)};
  if (d.HasInput(2)) inputs.push_back(d.input(2));
  d.Give(0, d.MicrosoftOp("SoftmaxCrossEntropyLossGrad", inputs, d.attributes()));
  d.GiveNone(1);
}

}  // namespace

void AddLossDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "SoftmaxCrossEntropyLoss", {12, 13}, SoftmaxCrossEntropyLoss);
}

}  // namespace onnxcmp
