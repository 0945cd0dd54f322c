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

// Y is to X as X is to Y in a Conv with the same weights and windows, so dX is Conv of dY, and dW
// is that of the Conv that gives X from Y.
void ConvTranspose(DerivativeBuilder& d) {
  if (d.String("auto_pad") != "NOTSET" || !d.Ints("output_shape").empty()) {
    return d.Refuse("its pads follow from the shape of its result");
  }
  Attributes windows = d.attributes();
  windows.erase("output_padding");
  windows.erase("output_shape");
  d.Give(0, d.Op("Conv", {d.dy(), d.input(1)}, windows));
  d.Give(1, d.MicrosoftOps("ConvGrad", {d.input(0), d.dy(), d.input(1)}, windows, 2)[1]);
  if (d.HasInput(2)) d.Give(2, d.SumPerChannel(d.dy()));
}

}  // namespace

void AddConvolutionDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Conv", {1, 22}, Conv);
  rules.Add(kOnnxDomain, "ConvTranspose", {1, 22}, ConvTranspose);
}

}  // namespace onnxcmp
