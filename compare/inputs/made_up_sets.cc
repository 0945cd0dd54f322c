// The members of InputSets that concern inputs that are made up.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/base/per_side.h"
#include "compare/inputs/feeds.h"
#include "compare/inputs/frozen_inputs.h"
#include "compare/inputs/generated_targets.h"
#include "compare/inputs/input_mapping.h"
#include "compare/inputs/input_sets.h"
#include "compare/inputs/made_up/free_sizes.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "compare/inputs/made_up/regime.h"
#include "evaluator/model/model.h"

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

std::string InputSets::Sizes(const SizeChoice& sizes) const {
  std::vector<ValueInfo> inputs;
  for (const SideId side : kBothSides) {
    if (graphs_[side] == nullptr) continue;
    for (const ValueInfo* input : RequiredInputs(*graphs_[side])) inputs.push_back(*input);
  }
  return DescribeSizes(inputs, sizes, generated_.dims);
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
  constexpr size_t kMost = 4;
  if (!models().left || !models().right) return {};
  // Those of one side that the other does not have.
  const auto lacking = [](const std::vector<double>& own, const std::vector<double>& others) {
    std::vector<double> alone;
    for (const double limit : own) {
      const bool known = std::find(others.begin(), others.end(), limit) != others.end() ||
                         std::find(alone.begin(), alone.end(), limit) != alone.end();
      if (!known) alone.push_back(limit);
    }
    std::sort(alone.begin(), alone.end());
    return alone;
  };
  std::vector<double> between;
  for (const MappedInput& pair : mapping_.pairs) {
    const InputPurposes& ours = purposes_.Of(*graphs_.left);
    const InputPurposes& theirs = purposes_.Of(*graphs_.right);
    const auto left = ours.find(pair.left);
    const auto right = theirs.find(pair.right);
    if (left == ours.end() || right == theirs.end()) continue;
    const std::vector<double> a = lacking(left->second.landmarks, right->second.landmarks);
    const std::vector<double> b = lacking(right->second.landmarks, left->second.landmarks);
    if (a.size() != b.size()) continue;
    for (size_t i = 0; i < a.size(); ++i) between.push_back(0.5 * (a[i] + b[i]));
  }
  if (between.size() > kMost) between.clear();
  return between;
}

std::vector<std::string> InputSets::Purposes() {
  return DescribeMadeUp(Targets(models()), graphs_, generated_, &purposes_);
}

bool InputSets::takes_any() const {
  return std::any_of(kBothSides.begin(), kBothSides.end(), [this](SideId side) {
    return graphs_[side] != nullptr && !RequiredInputs(*graphs_[side]).empty();
  });
}

}  // namespace onnxcmp
