#include "compare/quantization/output_cost.h"

#include <algorithm>
#include <utility>

#include "record/differences/tensor_distance.h"

namespace onnxcmp {

std::optional<double> OutputCost::Of(int r) {
  const SideValues& other = run_.other();
  const int partner = run_.partner(r);
  const std::optional<DequantizedView> own = run_.LocalReals(r);
  if (partner == kNone || !own.has_value() || !other.graph().runs()) return std::nullopt;
  Changed changed;
  Value value = other.InFormOf(partner, *own);
  if (value.empty()) return std::nullopt;
  changed.emplace(partner, std::move(value));
  const int producer = other.graph().producer(partner);
  for (int n = producer + 1; n < static_cast<int>(other.graph().nodes().size()); ++n) {
    if (!RunIfChanged(n, &changed)) return std::nullopt;
  }
  return DistanceOf(changed);
}

bool OutputCost::RunIfChanged(int n, Changed* changed) {
  const SideValues& other = run_.other();
  const SideGraph& graph = other.graph();
  const std::vector<int> reads = graph.Reads(n);
  if (std::none_of(reads.begin(), reads.end(), [&](int read) { return changed->contains(read); })) {
    return true;
  }
  ++runs_;
  const absl::StatusOr<std::vector<Value>> outputs = graph.Run(n, [&](int read) -> const Value& {
    const auto it = changed->find(read);
    return it == changed->end() ? other.value(read) : it->second;
  });
  if (!outputs.ok()) return false;
  const FewResults& names = graph.node(n).made->outputs;
  for (size_t i = 0; i < names.size() && i < outputs->size(); ++i) {
    if (names[i] != kNone) (*changed)[names[i]] = (*outputs)[i];
  }
  return true;
}

std::optional<double> OutputCost::DistanceOf(const Changed& changed) const {
  const SideValues& other = run_.other();
  std::optional<double> cost;
  for (const auto& [output, shown] : other.graph().outputs()) {
    const std::optional<DequantizedView> plain = other.RealsOf(shown);
    if (!plain.has_value()) continue;
    const auto it = changed.find(shown);
    double noise = 0;
    if (it != changed.end()) {
      const std::optional<DequantizedView> moved = other.RealsOf(shown, it->second);
      if (!moved.has_value() || moved->size() != plain->size()) continue;
      noise = NoiseStatsOf(*plain, *moved, other.pool()).noise;
    }
    cost = std::max(cost.value_or(0), noise);
  }
  return cost;
}

std::optional<double> OutputCost::OfAll() const {
  const SideValues& other = run_.other();
  const SideValues& quantized = run_.quantized();
  const auto& ours = other.graph().outputs();
  const auto& theirs = quantized.graph().outputs();
  std::optional<double> error;
  for (size_t i = 0; i < theirs.size(); ++i) {
    // Paired by name, else by position.
    const std::string& name = quantized.graph().result(theirs[i].first).name;
    auto at = std::find_if(ours.begin(), ours.end(), [&](const auto& output) {
      return other.graph().result(output.first).name == name;
    });
    if (at == ours.end()) {
      if (i >= ours.size() || ours.size() != theirs.size()) continue;
      at = ours.begin() + static_cast<std::ptrdiff_t>(i);
    }
    const std::optional<DequantizedView> a = other.RealsOf(at->second);
    const std::optional<DequantizedView> b = quantized.RealsOf(theirs[i].second);
    if (!a.has_value() || !b.has_value() || a->size() != b->size()) continue;
    error = std::max(error.value_or(0), NoiseStatsOf(*a, *b, other.pool()).noise);
  }
  return error;
}

}  // namespace onnxcmp
