// The members of InputSets that concern inputs that are made up.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"
#include "feed/frozen_inputs.h"
#include "feed/generated_targets.h"
#include "feed/input_sets.h"
#include "feed/limit_midpoints.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/regime.h"
#include "record/base/per_side.h"

namespace onnxcmp {

absl::StatusOr<FedInputs> InputSets::MakeUp(const SizeChoice& sizes, Regime regime,
                                            uint64_t numbers, std::optional<uint64_t> mixture,
                                            const std::vector<double>& probes) {
  const GeneratedInputs given = generated_;
  generated_.sizes = sizes;
  generated_.regime = regime;
  generated_.seed = given.seed.value_or(0) + numbers;
  generated_.mixture = mixture;
  generated_.probes = probes;
  absl::StatusOr<FedInputs> fed = Get(0);
  generated_ = given;
  return fed;
}

std::string InputSets::Sizes(const SizeChoice& sizes) {
  std::vector<ValueInfo> inputs;
  WindowLengths windows;
  for (const SideId side : kBothSides) {
    if (graphs_[side] == nullptr) continue;
    for (const ValueInfo* input : RequiredInputs(*graphs_[side])) inputs.push_back(*input);
    for (const auto& [at, window] : purposes_.WindowsOf(*graphs_[side])) windows[at].Add(window);
  }
  return DescribeSizes(inputs, windows, sizes, generated_.dims);
}

std::vector<SizeSum> InputSets::SumsToTry() {
  return onnxcmp::SumsToTry(Targets(models()), graphs_, generated_, &purposes_);
}

std::vector<std::string> InputSets::Masks() {
  for (const SideId side : kBothSides) {
    if (graphs_[side] == nullptr) continue;
    std::vector<std::string> masks = MaskInputs(*graphs_[side], &purposes_);
    if (!masks.empty()) return masks;
  }
  return {};
}

std::vector<FrozenInput> InputSets::Frozen() { return FrozenInputs(mapping_, graphs_, &purposes_); }

std::vector<double> InputSets::BetweenLimits() {
  return MidpointsOfLimits(mapping_, graphs_, &purposes_);
}

std::vector<std::string> InputSets::Purposes() {
  return DescribeMadeUp(Targets(models()), graphs_, generated_, &purposes_);
}

}  // namespace onnxcmp
