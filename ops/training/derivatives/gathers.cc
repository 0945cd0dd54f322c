// Operators that move elements between tensors.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void Concat(DerivativeBuilder& d) {
  const int64_t axis = d.Int("axis");
  const Attributes along = {{"axis", axis}};
  std::vector<std::string> sizes;
  for (int i = 0; i < d.num_inputs(); ++i) {
    sizes.push_back(d.Op("Gather", {d.ShapeOf(d.input(i)), d.Vector({axis})}));
  }
  const std::string split = d.Op("Concat", sizes, {{"axis", int64_t{0}}});
  const std::vector<std::string> parts = d.Ops("Split", {d.dy(), split}, along, d.num_inputs());
  for (int i = 0; i < d.num_inputs(); ++i) d.Give(i, parts[static_cast<size_t>(i)]);
}

void Split(DerivativeBuilder& d) {
  std::vector<std::string> parts;
  for (int i = 0; i < d.num_outputs(); ++i) {
    if (!d.HasOutput(i)) return d.Refuse(absl::StrCat("its output ", i, " is left out"));
    parts.push_back(d.dy(i));
  }
  d.Give(0, d.Op("Concat", parts, {{"axis", d.Int("axis")}}));
  if (d.HasInput(1)) d.GiveNone(1);
}

// Zeros of the data's shape with dY where the slice was taken from.
void Slice(DerivativeBuilder& d) {
  std::vector<std::string> inputs = {d.dy(), d.ShapeOf(d.input(0))};
  for (int i = 1; i < d.num_inputs(); ++i) {
    inputs.push_back(d.input(i));
    d.GiveNone(i);
  }
  d.Give(0, d.MicrosoftOp("SliceGrad", inputs));
}

// dY added up where each element was taken from.
void Gather(DerivativeBuilder& d) {
  d.Give(0, d.MicrosoftOp("GatherGrad", {d.ShapeOf(d.input(0)), d.input(1), d.dy()},
                          {{"axis", d.Int("axis")}}));
  d.GiveNone(1);
}

void GatherElements(DerivativeBuilder& d) {
  d.Give(0, d.MicrosoftOp("GatherElementsGrad", {d.dy(), d.ShapeOf(d.input(0)), d.input(1)},
                          {{"axis", d.Int("axis")}}));
  d.GiveNone(1);
}

void GatherNd(DerivativeBuilder& d) {
  d.Give(0, d.MicrosoftOp("GatherNDGrad", {d.ShapeOf(d.input(0)), d.input(1), d.dy()},
                          {{"batch_dims", d.Int("batch_dims")}}));
  d.GiveNone(1);
}

// Cuts off the padding, and gives zeros for what was cut off: Pad by -pads, with a constant.
void Pad(DerivativeBuilder& d) {
  if (d.String("mode") != "constant") return d.Refuse(absl::StrCat("mode ", d.String("mode")));
  d.Give(0, d.Op("Pad", {d.dy(), d.Op("Neg", {d.input(1)}), "", d.input(3)}));
  d.GiveNone(1);
  if (d.HasInput(3)) d.GiveNone(3);
}

// dY as repeats and sizes in turn (r0, n0, r1, n1, ...), summed over the repeats.
void Tile(DerivativeBuilder& d) {
  const std::string shape = d.ShapeOf(d.input(0));
  const std::string one = d.Vector({1});
  const std::string pairs =
      d.Op("Concat", {d.Op("Unsqueeze", {d.input(1), one}), d.Op("Unsqueeze", {shape, one})},
           {{"axis", int64_t{1}}});
  const std::string apart = d.Op("Reshape", {d.dy(), d.Op("Reshape", {pairs, d.Vector({-1})})},
                                 {{"allowzero", int64_t{1}}});
  const auto number = [&d](int64_t value) {
    return d.Op("Constant", {}, {{"value", Tensor::Scalar<int64_t>(value)}});
  };
  const std::string end = d.Op("Size", {pairs});
  const std::string axes = d.Op("Range", {number(0), end, number(2)});
  d.Give(0, d.Op("ReduceSum", {apart, axes},
                 {{"keepdims", int64_t{0}}, {"noop_with_empty_axes", int64_t{1}}}));
  d.GiveNone(1);
}

// Summed from the other end.
void CumSum(DerivativeBuilder& d) {
  const int64_t reverse = d.Int("reverse") != 0 ? 0 : 1;
  d.Give(0, d.Op("CumSum", {d.dy(), d.input(1)},
                 {{"exclusive", d.Int("exclusive")}, {"reverse", reverse}}));
  d.GiveNone(1);
}

// Back again, for second derivatives: what puts dY somewhere is linear, and its derivative takes
// from there.
void GatherGrad(DerivativeBuilder& d) {
  d.GiveNone(0);
  d.GiveNone(1);
  d.Give(2, d.Op("Gather", {d.dy(), d.input(1)}, {{"axis", d.Int("axis")}}));
}

void SliceGrad(DerivativeBuilder& d) {
  std::vector<std::string> inputs = {d.dy()};
  d.GiveNone(1);
  for (int i = 2; i < d.num_inputs(); ++i) {
    inputs.push_back(d.input(i));
    d.GiveNone(i);
  }
  d.Give(0, d.Op("Slice", inputs));
}

}  // namespace

// Before version 11 Pad had its pads as an attribute, before version 10 Slice its axes; before
// version 6 Tile had one axis, before version 4 Concat a default one.
void AddGatherDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Concat", {4, 13}, Concat);
  rules.Add(kOnnxDomain, "CumSum", {11, 14}, CumSum);
  rules.Add(kOnnxDomain, "Gather", {1, 13}, Gather);
  rules.Add(kOnnxDomain, "GatherElements", {11, 13}, GatherElements);
  rules.Add(kOnnxDomain, "GatherND", {11, 13}, GatherNd);
  rules.Add(kOnnxDomain, "Pad", {11, 25}, Pad);
  rules.Add(kOnnxDomain, "Slice", {10, 13}, Slice);
  rules.Add(kOnnxDomain, "Split", {2, 18}, Split);
  rules.Add(kOnnxDomain, "Tile", {6, 13}, Tile);
  rules.Add(kMicrosoftDomain, "GatherGrad", {1, 1}, GatherGrad);
  rules.Add(kMicrosoftDomain, "SliceGrad", {1, 1}, SliceGrad);
}

}  // namespace onnxcmp
