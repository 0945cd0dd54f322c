#include <cstdint>
#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

// dY added up at the elements that were chosen, the first of equal ones. Indices count the elements
// of X, channels and batch too.
void MaxPool(DerivativeBuilder& d) {
  if (d.Int("storage_order") != 0) return d.Refuse("storage_order is not 0");
  const std::string x = d.input(0);
  const std::string indices =
      d.HasOutput(1) ? d.output(1) : d.Ops("MaxPool", {x}, d.attributes(), 2)[1];
  const auto flat = [&d](const std::string& value) {
    return d.Op("Reshape", {value, d.Vector({-1})});
  };
  const std::string sum =
      d.Op("ScatterElements", {flat(d.ZerosLike(x)), flat(indices), flat(d.dy())},
           {{"reduction", std::string("add")}});
  d.Give(0, d.ReshapeTo(sum, x));
}

}  // namespace

void AddPoolDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "MaxPool", {8, 22}, MaxPool);
}

}  // namespace onnxcmp
