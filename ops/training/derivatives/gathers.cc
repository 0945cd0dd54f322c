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

// Before version 10 Slice had attributes, before version 4 Concat had a default axis.
void AddGatherDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Concat", {4, 13}, Concat);
  rules.Add(kOnnxDomain, "Gather", {1, 13}, Gather);
  rules.Add(kOnnxDomain, "GatherElements", {11, 13}, GatherElements);
  rules.Add(kOnnxDomain, "GatherND", {11, 13}, GatherNd);
  rules.Add(kOnnxDomain, "Slice", {10, 13}, Slice);
  rules.Add(kOnnxDomain, "Split", {2, 18}, Split);
  rules.Add(kMicrosoftDomain, "GatherGrad", {1, 1}, GatherGrad);
  rules.Add(kMicrosoftDomain, "SliceGrad", {1, 1}, SliceGrad);
}

}  // namespace onnxcmp
