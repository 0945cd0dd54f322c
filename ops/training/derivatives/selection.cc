#include <string>

#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {
namespace {

void Where(DerivativeBuilder& d) {
  const std::string zero = d.Scalar(0, d.output());
  d.GiveNone(0);
  d.Give(1, d.SumTo(d.Op("Where", {d.input(0), d.dy(), zero}), d.input(1)));
  d.Give(2, d.SumTo(d.Op("Where", {d.input(0), zero, d.dy()}), d.input(2)));
}

// dY where X is within the limits, which are in it; the limits themselves have no rule.
void Clip(DerivativeBuilder& d) {
  const std::string is_within = d.Op("Equal", {d.input(0), d.output()});
  d.Give(0, d.Op("Where", {is_within, d.dy(), d.Scalar(0, d.dy())}));
}

// The same elements, or, where an input may say that it trains, by its mask.
void Dropout(DerivativeBuilder& d) {
  if (!d.HasInput(2)) return d.Give(0, d.dy());
  if (!d.HasOutput(1)) return d.Refuse("it may train, but its mask is no output");
  d.Give(0, d.MicrosoftOp("DropoutGrad", {d.dy(), d.output(1), d.input(1), d.input(2)}));
  d.GiveNone(2);
}

}  // namespace

// Before version 7 an attribute said whether Dropout trains.
void AddSelectionDerivatives(DerivativeRules& rules) {
  rules.Add(kOnnxDomain, "Clip", {1, 13}, Clip);
  rules.Add(kOnnxDomain, "Dropout", {7, 22}, Dropout);
  rules.Add(kOnnxDomain, "Where", {9, 16}, Where);
}

}  // namespace onnxcmp
