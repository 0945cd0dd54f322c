#include "compare/sides/constant_nodes.h"

#include <algorithm>

namespace onnxcmp {

void ConstantNodes::HoldUpTo(int64_t bytes) {
  if (bytes <= budget_) return;
  budget_ = bytes;
  held_ = ValueBank(bytes);
  for (auto& [key, known] : known_) known.first_held.reset();
}

void ConstantNodes::Add(const Hash128& key, absl::Span<const Value> outputs,
                        absl::Span<const Fingerprint> fingerprints, bool worth_holding) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].empty()) AddConstant(fingerprints[i].content);
  }
  const auto [it, is_new] = known_.try_emplace(key);
  Known& known = it->second;
  if (is_new) known.fingerprints.assign(fingerprints.begin(), fingerprints.end());
  if (known.first_held.has_value() || !worth_holding) return;
  const int first = next_held_;
  for (const Value& output : outputs) {
    if (!output.empty() && !held_.Keep(next_held_, output)) {
      while (next_held_ > first) held_.Drop(--next_held_);
      return;
    }
    ++next_held_;
  }
  known.first_held = first;
}

std::optional<std::vector<Value>> ConstantNodes::Outputs(const Hash128& key) const {
  const auto it = known_.find(key);
  if (it == known_.end() || !it->second.first_held.has_value()) return std::nullopt;
  std::vector<Value> outputs(it->second.fingerprints.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Value* const held = held_.Find(*it->second.first_held + static_cast<int>(i));
    if (held != nullptr) outputs[i] = *held;
  }
  return outputs;
}

const std::vector<Fingerprint>* ConstantNodes::Fingerprints(const Hash128& key) const {
  const auto it = known_.find(key);
  return it == known_.end() ? nullptr : &it->second.fingerprints;
}

}  // namespace onnxcmp
