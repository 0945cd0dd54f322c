#include "compare/outcome/chain.h"

#include <algorithm>

namespace onnxcmp {

const ChainStep* Chain::BesideFirst(size_t i) const {
  return i < against_first.size() && against_first[i].has_value() ? &*against_first[i] : nullptr;
}

const ChainStep* Chain::ends() const {
  return steps.empty() ? nullptr : BesideFirst(steps.size() - 1);
}

std::optional<size_t> BrokenBy(const Chain& chain) {
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    if (chain.steps[i].worst.exit_status != 0) return i;
  }
  return std::nullopt;
}

std::optional<size_t> AddsUpAt(const Chain& chain) {
  const auto differs = [](const ChainStep* step) {
    return step != nullptr && step->worst.verdict == Verdict::kDifferent;
  };
  if (!differs(chain.ends()) || BrokenBy(chain).has_value()) return std::nullopt;
  size_t i = 0;
  while (!differs(chain.BesideFirst(i))) ++i;
  return i;
}

int ExitStatusOf(const Chain& chain) {
  int worst = chain.ends() != nullptr ? chain.ends()->worst.exit_status : 0;
  for (const ChainStep& step : chain.steps) worst = std::max(worst, step.worst.exit_status);
  return worst;
}

Verdict VerdictOf(const Chain& chain) {
  Verdict worst = chain.ends() != nullptr ? chain.ends()->worst.verdict : Verdict{};
  for (const ChainStep& step : chain.steps) worst = std::max(worst, step.worst.verdict);
  return worst;
}

}  // namespace onnxcmp
