#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();  // of any slice

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

// A sum over the same windows is a Conv of each channel with ones; its dX is what dY divided by the
// elements of each window gives.
void AveragePool(DerivativeBuilder& d) {
  if (d.Int("ceil_mode") != 0) return d.Refuse("ceil_mode is not 0");
  const std::string x = d.input(0);
  const std::vector<int64_t> kernel = d.Ints("kernel_shape");
  std::vector<int64_t> shape = {1, 1};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  const std::string weights = d.Op(
      "CastLike",
      {d.Op("ConstantOfShape", {d.Vector(shape)}, {{"value", Tensor::Of<float>({1}, {1})}}), x});
  const std::string taps = d.Op("CastLike", {d.Op("Size", {weights}), x});
  std::string share = d.Op("Div", {d.dy(), taps});
  Attributes windows = d.attributes();
  if (d.Int("count_include_pad") == 0) {
    // The part of each window that is no padding: the mean of ones and the padding's zeros.
    windows["count_include_pad"] = int64_t{1};
    share = d.Op("Div", {share, d.Op("AveragePool", {d.OnesLike(x)}, windows)});
  }
  windows.erase("count_include_pad");
  windows.erase("ceil_mode");
  const auto apart = [&d](const std::string& value) {
    const std::string space = d.Op("Slice", {d.ShapeOf(value), d.Vector({2}), d.Vector({kEnd})});
    const std::string one_channel =
        d.Op("Concat", {d.Vector({-1, 1}), space}, {{"axis", int64_t{0}}});
    return d.Op("Reshape", {value, one_channel});
  };
  const std::string dx =
      d.MicrosoftOps("ConvGrad", {apart(share), apart(x), weights}, windows, 1)[0];
  d.Give(0, d.ReshapeTo(dx, x));
}

}  // namespace

// Before version 7 AveragePool could not count the padding.
void AddPoolDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "AveragePool", {7, 22}, AveragePool);
  rules.Add(kOnnxDomain, "MaxPool", {8, 22}, MaxPool);
}

}  // namespace onnxcmp
