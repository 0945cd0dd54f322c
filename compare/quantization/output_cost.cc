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
  const std::optional<Reals> own = run_.OwnReals(r);
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
    const std::optional<Reals> plain = other.RealsOf(shown);
    if (!plain.has_value()) continue;
    const auto it = changed.find(shown);
    double noise = 0;
    if (it != changed.end()) {
      const std::optional<Reals> moved = other.RealsOf(shown, it->second);
      if (!moved.has_value() || moved->size() != plain->size()) continue;
      noise = LikenessOf(*plain, *moved, other.pool()).noise;
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
    const std::optional<Reals> a = other.RealsOf(at->second);
    const std::optional<Reals> b = quantized.RealsOf(theirs[i].second);
    if (!a.has_value() || !b.has_value() || a->size() != b->size()) continue;
    error = std::max(error.value_or(0), LikenessOf(*a, *b, other.pool()).noise);
  }
  return error;
}

}  // namespace onnxcmp
