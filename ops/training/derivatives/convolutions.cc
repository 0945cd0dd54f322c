#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void Conv(DerivativeBuilder& d) {
  const std::vector<std::string> gradients =
      d.MicrosoftOps("ConvGrad", {d.dy(), d.input(0), d.input(1)}, d.attributes(), 3);
  for (int i = 0; i < d.num_inputs(); ++i) d.Give(i, gradients[static_cast<size_t>(i)]);
}

}  // namespace

void AddConvolutionDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Conv", {1, 22}, Conv);
}

}  // namespace onnxcmp
