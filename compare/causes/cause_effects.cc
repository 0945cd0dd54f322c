#include "compare/causes/cause_effects.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/repair/repair_suggestions.h"
#include "compare/sides/replacer.h"
#include "compare/sides/value_bank.h"
#include "evaluator/run/result.h"

namespace onnxcmp {

// Keeps what nodes give of which it is known what they read, as far as it fits.
class CauseEffects::KeepingRun : public Replacer {
 public:
  KeepingRun(absl::flat_hash_map<absl::string_view, Value> values, const SideGraph& right,
             int64_t keep, NodeOutputs* known)
      : Replacer(std::move(values)), open_(keep), known_(*known) {
    for (const SideGraph::GraphNode& node : right.nodes()) nodes_.insert(node.node);
  }

  void OnNodeOutputs(const PendingNode& run, absl::Span<Value> outputs, bool /*drew*/) override {
    if (run.depth > 0 || !nodes_.contains(&run.node)) return;
    int64_t bytes = 0;
    for (const Value& output : outputs) bytes += BytesHeldBy(output);
    if (bytes > open_) return;
    open_ -= bytes;
    for (const Value& output : outputs) LeaveMemoryAccount(output);
    known_.emplace(&run.node, std::vector<Value>(outputs.begin(), outputs.end()));
  }

 private:
  absl::flat_hash_set<const Node*> nodes_;
  int64_t open_;
  NodeOutputs& known_;
};

class CauseEffects::NextRun : public Replacer {
 public:
  NextRun(absl::flat_hash_map<absl::string_view, Value> values,
          absl::flat_hash_set<const Node*> others, const NodeOutputs& known)
      : Replacer(std::move(values)), others_(std::move(others)), known_(known) {}

  std::optional<std::vector<Value>> KnownOutputs(const PendingNode& run) override {
    if (run.depth > 0 || others_.contains(&run.node)) return std::nullopt;
    const auto known = known_.find(&run.node);
    return known == known_.end() ? std::nullopt : std::optional(known->second);
  }

 private:
  absl::flat_hash_set<const Node*> others_;
  const NodeOutputs& known_;
};

absl::flat_hash_set<const Node*> CauseEffects::OthersThanFirst(const Replacements& replaced) const {
  const SideGraph& right = run_.right();
  std::vector<int> open;
  const auto add_missing = [&](const Replacements& in, const Replacements& other) {
    for (const auto& [r, value] : in) {
      if (!other.contains(r)) open.push_back(r);
    }
  };
  add_missing(*first_, replaced);
  add_missing(replaced, *first_);
  absl::flat_hash_set<const Node*> others;
  while (!open.empty()) {
    const int r = open.back();
    open.pop_back();
    for (const int n : right.readers(r)) {
      if (!others.insert(right.node(n).node).second) continue;
      for (const int output : right.node(n).made->outputs) {
        // What is replaced in both runs is the same whatever the node gives.
        const bool same = replaced.contains(output) && first_->contains(output);
        if (output != kNone && !same) open.push_back(output);
      }
    }
  }
  return others;
}

std::vector<Value> CauseEffects::OutputsWithout(const Replacements& replaced) {
  absl::flat_hash_map<absl::string_view, Value> values;
  for (const auto& [r, value] : replaced) {
    values[run_.right().result(r).name] = run_.right().ForModel(r, value);
  }
  absl::StatusOr<std::vector<Value>> outputs;
  if (first_.has_value()) {
    NextRun next(std::move(values), OthersThanFirst(replaced), known_);
    outputs = right_.Run(feeds_, &next);
  } else {
    KeepingRun keeping(std::move(values), run_.right(), keep_, &known_);
    outputs = right_.Run(feeds_, &keeping);
    first_ = replaced;
  }
  return outputs.ok() ? *std::move(outputs) : std::vector<Value>();
}

std::optional<double> CauseEffects::DistanceWithout(const Replacements& replaced) {
  const std::vector<Value> outputs = OutputsWithout(replaced);
  if (outputs.empty()) return std::nullopt;
  const auto counterparts = OutputCounterparts(run_.left(), run_.right());
  std::optional<double> greatest;
  const auto& shown = run_.right().outputs();
  for (size_t i = 0; i < shown.size() && i < outputs.size(); ++i) {
    const auto counterpart = counterparts.find(shown[i].second);
    if (counterpart == counterparts.end()) continue;
    const Value& wanted = run_.left().value(counterpart->second);
    const Value given = run_.right().FromModel(shown[i].second, outputs[i]);
    if (!IsMeasurable(wanted) || !IsMeasurable(given) ||
        !SameKindOfNumber(wanted.tensor().dtype(), given.tensor().dtype())) {
      continue;
    }
    const double distance =
        wanted.tensor().num_elements() == given.tensor().num_elements()
            ? Distance(run_.left().measured(counterpart->second), Measure(given.tensor()))
            : std::numeric_limits<double>::infinity();
    greatest = std::max(greatest.value_or(0), distance);
  }
  return greatest;
}

}  // namespace onnxcmp
