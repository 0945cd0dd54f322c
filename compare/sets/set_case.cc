#include "compare/sets/set_case.h"

namespace onnxcmp {

bool SuitsCoarseTypes(Regime regime) {
  switch (regime) {
    case Regime::kTiny:
    case Regime::kSmall:
    case Regime::kLarge:
    case Regime::kHuge:
    case Regime::kWhole:
      return false;
    default:
      return true;
  }
}

SetCase FurtherCase(int set, bool coarse) {
  SetCase one;
  one.sizes.set = set;
  if (set % 4 == 2 && !coarse) one.regime = Regime::kWhole;
  if (set % 4 == 3) {
    if (!coarse) one.regime = Regime::kLarge;
    one.sizes.stretch = 3;
  }
  return one;
}

std::vector<SetCase> FirstSearchCases() {
  std::vector<SetCase> cases;
  for (int regime = 1; regime < kRegimes; ++regime) {
    for (const int set : {0, 1}) {
      SetCase one;
      one.regime = static_cast<Regime>(regime);
      one.sizes.set = set;
      cases.push_back(one);
    }
  }
  for (const int stretch : {2, 3, 5, 9, 17, 33}) {
    SetCase one;
    one.sizes.stretch = stretch;
    cases.push_back(one);
  }
  for (const int attempt : {3, 6, 7}) {
    SetCase one;
    one.sizes.attempt = attempt;
    cases.push_back(one);
  }
  return cases;
}

SetCase MixtureCase(uint64_t i) {
  SetCase one;
  one.numbers = i;
  one.sizes.set = static_cast<int>(i % 7);
  one.sizes.stretch = i % 5 == 0 ? static_cast<int>(1 + i % 4) : 1;
  // Every other one has the usual numbers, but others.
  if (i % 2 == 0) one.mixture = i;
  return one;
}

}  // namespace onnxcmp
