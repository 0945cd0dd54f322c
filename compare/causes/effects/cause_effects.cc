#include "compare/causes/effects/cause_effects.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/causes/repair/repair_suggestions.h"
#include "compare/sides/replacer.h"
#include "compare/sides/value_bank.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/run/result.h"

namespace onnxcmp {

class CauseEffects::PartialRun : public Replacer {
 public:
  // Outputs of a node, if they are known. Nodes without readers are left out and give nothing.
  using Known = absl::flat_hash_map<const Node*, const std::vector<Value>*>;

  PartialRun(absl::flat_hash_map<absl::string_view, Value> values, Known known,
             absl::flat_hash_set<const Node*> left_out)
      : Replacer(std::move(values)), known_(std::move(known)), left_out_(std::move(left_out)) {}

  // From now on keeps the outputs of these nodes, as far as they fit.
  void Keep(absl::flat_hash_set<const Node*> nodes, int64_t bytes, NodeOutputs* kept) {
    nodes_ = std::move(nodes);
    open_ = bytes;
    kept_ = kept;
  }

  std::optional<std::vector<Value>> KnownOutputs(const PendingNode& run) override {
    if (run.depth > 0) return std::nullopt;
    if (left_out_.contains(&run.node)) return std::vector<Value>(run.node.outputs.size());
    const auto known = known_.find(&run.node);
    return known == known_.end() ? std::nullopt : std::optional(*known->second);
  }

  void OnNodeOutputs(const PendingNode& run, absl::Span<Value> outputs, bool /*drew*/) override {
    if (kept_ == nullptr || run.depth > 0 || !nodes_.contains(&run.node)) return;
    int64_t bytes = 0;
    for (const Value& output : outputs) bytes += BytesHeldBy(output);
    if (bytes > open_) return;
    open_ -= bytes;
    for (const Value& output : outputs) LeaveMemoryAccount(output);
    kept_->emplace(&run.node, std::vector<Value>(outputs.begin(), outputs.end()));
  }

 private:
  Known known_;
  absl::flat_hash_set<const Node*> left_out_;
  absl::flat_hash_set<const Node*> nodes_;
  int64_t open_ = 0;
  NodeOutputs* kept_ = nullptr;
};

std::vector<bool> CauseEffects::NodesBehind(const std::vector<int>& results,
                                            absl::FunctionRef<bool(int)> ends) const {
  const SideGraph& right = run_.right();
  std::vector<bool> behind(right.nodes().size());
  right.ReachAfter(results, [&](int r) {
    behind[Index(right.producer(r))] = true;
    return !ends(r);
  });
  return behind;
}

std::vector<bool> CauseEffects::OthersThanFirst(const Replacements& replaced) const {
  std::vector<int> open;
  const auto add_missing = [&](const Replacements& in, const Replacements& other) {
    for (const auto& [r, value] : in) {
      if (!other.contains(r)) open.push_back(r);
    }
  };
  add_missing(*first_, replaced);
  add_missing(replaced, *first_);
  // A result that both runs replace is the same whatever its node gives.
  return NodesBehind(open, [&](int r) { return replaced.contains(r) && first_->contains(r); });
}

CauseEffects::PartialRun CauseEffects::Prepare(const Replacements& replaced) const {
  const SideGraph& right = run_.right();
  absl::flat_hash_map<absl::string_view, Value> values;
  std::vector<int> starts;
  for (const auto& [r, value] : replaced) {
    values[right.result(r).name] = right.ForModel(r, value);
    starts.push_back(r);
  }
  PartialRun::Known known;
  if (!known_.empty()) {
    const std::vector<bool> others = OthersThanFirst(replaced);
    for (size_t n = 0; n < others.size(); ++n) {
      const auto it = known_.find(right.nodes()[n].node);
      if (it != known_.end() && !others[n]) known.emplace(it->first, &it->second);
    }
  }
  const std::vector<bool> changed = NodesBehind(starts, [](int) { return false; });
  std::vector<bool> needed(right.nodes().size());
  std::vector<int> open;
  // An output without a known result has no counterpart to be measured against.
  for (const auto& [output, source] : right.outputs()) {
    if (source != kNone) open.push_back(source);
  }
  // Nodes with graphs of their own run in any case: they are not asked for known outputs.
  for (size_t n = 0; n < needed.size(); ++n) {
    const Node* node = right.nodes()[n].node;
    if (node != nullptr && node->body == nullptr && GraphsOf(*node).empty()) continue;
    needed[n] = true;
    if (known.contains(node)) continue;
    absl::c_copy(right.Reads(static_cast<int>(n)), std::back_inserter(open));
  }
  const auto is_made = [&](int r) {
    const int maker = right.producer(r);
    if (maker == kNone || replaced.contains(r)) return false;
    if (!changed[Index(maker)] && !run_.plain(r).empty()) {
      values.emplace(right.result(r).name, right.ForModel(r, run_.plain(r)));
      return false;
    }
    needed[Index(maker)] = true;
    return !known.contains(right.node(maker).node);
  };
  Reach(
      open, [&](int r) { return right.Before(r); }, is_made);
  absl::flat_hash_set<const Node*> left_out;
  for (size_t n = 0; n < needed.size(); ++n) {
    if (!needed[n]) left_out.insert(right.nodes()[n].node);
  }
  return PartialRun(std::move(values), std::move(known), std::move(left_out));
}

std::vector<Value> CauseEffects::OutputsWithout(const Replacements& replaced) {
  PartialRun run = Prepare(replaced);
  if (!first_.has_value()) {
    // The inputs of other nodes are unknown.
    absl::flat_hash_set<const Node*> nodes;
    for (const SideGraph::GraphNode& node : run_.right().nodes()) nodes.insert(node.node);
    run.Keep(std::move(nodes), keep_, &known_);
    first_ = replaced;
  }
  absl::StatusOr<std::vector<Value>> outputs = right_.Run(feeds_, &run);
  return outputs.ok() ? *std::move(outputs) : std::vector<Value>();
}

std::optional<double> CauseEffects::DistanceWithout(const Replacements& replaced) {
  return DistanceOf(OutputsWithout(replaced));
}

std::optional<double> CauseEffects::DistanceOf(absl::Span<const Value> outputs) const {
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

double UnexplainedLimit(const SideGraph& left, const SideGraph& right) {
  double limit = 1e-3;
  for (const SideGraph* graph : {&left, &right}) {
    for (const auto& [output, source] : graph->outputs()) {
      limit = std::max(limit, 16 * EpsilonOf(graph->result(output).precision));
    }
  }
  return limit;
}

}  // namespace onnxcmp
