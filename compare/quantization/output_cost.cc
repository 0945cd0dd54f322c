#include "compare/quantization/output_cost.h"

#include <algorithm>
#include <utility>

#include "absl/container/node_hash_map.h"
#include "compare/differences/nearness.h"

namespace onnxcmp {

std::optional<double> OutputCost::Of(int r) {
  const SideValues& other = run_.other();
  const SideGraph& graph = other.graph();
  const int partner = run_.partner(r);
  const std::optional<std::vector<double>> own = run_.OwnFloats(r);
  if (partner == kNone || !own.has_value() || !graph.runs()) return std::nullopt;
  absl::node_hash_map<int, Value> changed;
  Value value = other.InFormOf(partner, *own);
  if (value.empty()) return std::nullopt;
  changed.emplace(partner, std::move(value));
  const int producer = graph.producer(partner);
  for (int n = producer + 1; n < static_cast<int>(graph.nodes().size()); ++n) {
    const std::vector<int> reads = graph.Reads(n);
    if (std::none_of(reads.begin(), reads.end(), [&](int read) { return changed.contains(read); }))
      continue;
    ++runs_;
    const absl::StatusOr<std::vector<Value>> outputs = graph.Run(n, [&](int read) -> const Value& {
      const auto it = changed.find(read);
      return it == changed.end() ? other.value(read) : it->second;
    });
    if (!outputs.ok()) return std::nullopt;
    const FewResults& names = graph.node(n).made->outputs;
    for (size_t i = 0; i < names.size() && i < outputs->size(); ++i) {
      if (names[i] != kNone) changed[names[i]] = (*outputs)[i];
    }
  }
  std::optional<double> cost;
  for (const auto& [output, shown] : graph.outputs()) {
    const std::vector<double>* plain = other.FloatsOf(shown);
    if (plain == nullptr) continue;
    const auto it = changed.find(shown);
    double noise = 0;
    if (it != changed.end()) {
      const std::optional<std::vector<double>> moved = other.Floats(shown, it->second);
      if (!moved.has_value() || moved->size() != plain->size()) continue;
      noise = LikenessOf(*plain, *moved).noise;
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
    // By name, else by place.
    const std::string& name = quantized.graph().result(theirs[i].first).name;
    auto at = std::find_if(ours.begin(), ours.end(), [&](const auto& output) {
      return other.graph().result(output.first).name == name;
    });
    if (at == ours.end()) {
      if (i >= ours.size() || ours.size() != theirs.size()) continue;
      at = ours.begin() + static_cast<std::ptrdiff_t>(i);
    }
    const std::vector<double>* a = other.FloatsOf(at->second);
    const std::vector<double>* b = quantized.FloatsOf(theirs[i].second);
    if (a == nullptr || b == nullptr || a->size() != b->size()) continue;
    error = std::max(error.value_or(0), LikenessOf(*a, *b).noise);
  }
  return error;
}

}  // namespace onnxcmp
