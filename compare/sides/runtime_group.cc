#include "compare/sides/runtime_group.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/sides/failing_node.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/model/value_type.h"
#include "evaluator/run/on_results.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"
#include "record/runtimes/model_files.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

// How far two values are apart, against the size of their elements; infinite for another type or
// shape.
double Apart(const Value& a, const Value& b) {
  constexpr double kOther = std::numeric_limits<double>::infinity();
  if (ContentOf(a) == ContentOf(b)) return 0;
  if (!IsMeasurable(a) || !IsMeasurable(b) || a.tensor().dtype() != b.tensor().dtype() ||
      a.tensor().shape() != b.tensor().shape()) {
    return kOther;
  }
  return Distance(Measure(a.tensor()), Measure(b.tensor()));
}

// A value of the runtime's that our node does not give.
struct Target {
  std::string name;
  size_t node = 0;
  Value given;
  Value ours;
};

// Our nodes on the runtime's values. Random numbers are nobody's fault.
class OwnInputs {
 public:
  OwnInputs(const Model& model, const RuntimeResults& results) : results_(results) {
    for (size_t n = 0; n < model.graph.nodes.size(); ++n) {
      for (const std::string& output : model.graph.nodes[n].outputs) producers_[output] = n;
    }
  }

  absl::Status See(const Result& result, std::optional<Value>* replacement) {
    if (result.depth > 0) return absl::OkStatus();
    const std::string name(result.name);
    if (result.kind == ResultKind::kOutput) return OnOutput(name);
    values_[name] = result.value;
    if (result.kind != ResultKind::kResult) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(Value given, results_.Result(name));
    if (given.empty()) return absl::OkStatus();
    if (!target_.has_value() && Apart(result.value, given) > thresholds::kFarDistance) {
      SetTarget(name, given, result.value);
    }
    values_[name] = given;
    *replacement = std::move(given);
    return absl::OkStatus();
  }

  const std::optional<Target>& target() const { return target_; }
  const absl::flat_hash_map<std::string, Value>& values() const { return values_; }
  const absl::flat_hash_map<std::string, size_t>& producers() const { return producers_; }

 private:
  // An output as it is when nothing but the outputs is asked for.
  absl::Status OnOutput(const std::string& name) {
    const auto marked = values_.find(name);
    OC_ASSIGN_OR_RETURN(Value given, results_.Output(name));
    if (target_.has_value() || given.empty() || marked == values_.end()) return absl::OkStatus();
    if (Apart(marked->second, given) > thresholds::kFarDistance) {
      SetTarget(name, std::move(given), marked->second);
    }
    return absl::OkStatus();
  }

  void SetTarget(const std::string& name, Value given, Value ours) {
    const auto producer = producers_.find(name);
    if (producer == producers_.end()) return;
    target_ = Target{name, producer->second, std::move(given), std::move(ours)};
  }

  const RuntimeResults& results_;
  absl::flat_hash_map<std::string, size_t> producers_;
  absl::flat_hash_map<std::string, Value> values_;
  std::optional<Target> target_;
};

class GroupSearch {
 public:
  GroupSearch(const Model& model, const OwnInputs& own, Runtime* runtime)
      : model_(model),
        values_(own.values()),
        producers_(own.producers()),
        constants_(ConstantNames(model.graph)),
        runtime_(*runtime) {}

  // The fewest nodes up to the target's that reproduce it; none if all of them do not.
  std::vector<size_t> Find(const Target& target) const {
    const std::vector<size_t> before = NodesUpTo(target.node);
    // Twice as many each time, then the least number between the last two.
    size_t bad = 0;
    size_t good = 0;
    for (size_t count = 1; good == 0; count = std::min(2 * count, before.size())) {
      if (Reproduces(Last(before, count), target)) {
        good = count;
      } else {
        bad = count;
        if (count == before.size()) return {};
      }
    }
    while (good - bad > 1) {
      const size_t middle = bad + (good - bad) / 2;
      (Reproduces(Last(before, middle), target) ? good : bad) = middle;
    }
    return Last(before, good);
  }

  // The first node of a group whose result is another one when the group runs at once: what comes
  // after it only passes that on.
  Target FirstChanged(const std::vector<size_t>& group, const Target& target) const {
    for (size_t count = 2; count < group.size(); ++count) {
      const std::vector<size_t> part(group.begin(),
                                     group.begin() + static_cast<std::ptrdiff_t>(count));
      const std::string& name = model_.graph.nodes[part.back()].outputs[0];
      const auto marked = values_.find(name);
      if (name.empty() || marked == values_.end()) continue;
      const std::optional<Value> given = Run(part, name);
      if (given.has_value() && Apart(*given, marked->second) > thresholds::kFarDistance) {
        return {name, part.back(), *given, marked->second};
      }
    }
    return target;
  }

 private:
  static std::vector<size_t> Last(const std::vector<size_t>& nodes, size_t count) {
    return {nodes.end() - static_cast<std::ptrdiff_t>(count), nodes.end()};
  }

  std::vector<std::string> ReadsOf(const Node& node) const {
    std::vector<std::string> reads = node.inputs;
    for (std::string& captured : OuterNames(node)) reads.push_back(std::move(captured));
    return reads;
  }

  // The node and those that it depends on, in order.
  std::vector<size_t> NodesUpTo(size_t last) const {
    std::set<size_t> found = {last};
    std::vector<size_t> open = {last};
    while (!open.empty()) {
      const Node& node = model_.graph.nodes[open.back()];
      open.pop_back();
      for (const std::string& read : ReadsOf(node)) {
        const auto producer = producers_.find(read);
        if (producer == producers_.end() || constants_.contains(read)) continue;
        if (found.insert(producer->second).second) open.push_back(producer->second);
      }
    }
    return {found.begin(), found.end()};
  }

  // The result that the runtime gives when it runs these nodes at once, on its own values.
  std::optional<Value> Run(const std::vector<size_t>& nodes, const std::string& result) const {
    Model made;
    made.ir_version = model_.ir_version;
    made.producer = model_.producer;
    made.imports = model_.imports;
    made.graph.name = model_.graph.name;
    absl::flat_hash_set<std::string> known;
    for (const size_t n : nodes) {
      const std::vector<std::string>& outputs = model_.graph.nodes[n].outputs;
      known.insert(outputs.begin(), outputs.end());
    }
    Feeds feeds;
    for (const size_t n : nodes) {
      const Node& node = model_.graph.nodes[n];
      made.graph.nodes.push_back(node);
      for (const std::string& read : ReadsOf(node)) {
        const auto value = values_.find(read);
        if (read.empty() || value == values_.end() || !known.insert(read).second) continue;
        if (constants_.contains(read) && value->second.is_tensor()) {
          made.graph.initializers.push_back({read, value->second});
          continue;
        }
        absl::StatusOr<TypeInfo> type = TypeAndShapeOf(value->second);
        if (!type.ok()) return std::nullopt;
        made.graph.inputs.push_back({read, *std::move(type)});
        feeds[read] = value->second;
      }
    }
    made.graph.outputs.push_back({result, TypeInfo()});
    absl::StatusOr<std::vector<Value>> given = RunModelInRuntime(made, feeds, &runtime_);
    if (!given.ok() || given->empty() || (*given)[0].empty()) return std::nullopt;
    return std::move((*given)[0]);
  }

  bool Reproduces(const std::vector<size_t>& nodes, const Target& target) const {
    const std::optional<Value> run = Run(nodes, target.name);
    if (!run.has_value()) return false;
    const double way = Apart(target.given, target.ours);
    const double left = Apart(*run, target.given);
    return left == 0 || (std::isfinite(left) && left < 0.5 * way);
  }

  const Model& model_;
  const absl::flat_hash_map<std::string, Value>& values_;
  const absl::flat_hash_map<std::string, size_t>& producers_;
  const absl::flat_hash_set<absl::string_view> constants_;
  Runtime& runtime_;
};

std::string GroupNames(const Model& model, const std::vector<size_t>& nodes) {
  std::vector<std::string> names;
  for (const size_t n : nodes) {
    if (names.size() == work_bounds::kShown && nodes.size() > work_bounds::kShown + 1) {
      names.push_back(absl::StrCat("and ", nodes.size() - work_bounds::kShown, " more"));
      break;
    }
    const Node& node = model.graph.nodes[n];
    names.push_back(absl::StrCat(node.op_type, " `",
                                 OneLine(node.outputs.empty() ? node.name : node.outputs[0]), "`"));
  }
  return absl::StrJoin(names, ", ");
}

// "differs by up to 0.5: 1 | 1.5 at [3]", or another type.
std::string HowFar(const Target& target) {
  if (target.given.TypeString() != target.ours.TypeString()) {
    return absl::StrCat("is ", target.given.TypeString(), " in place of ",
                        target.ours.TypeString());
  }
  const TensorDifference difference = TensorDifferenceOf(target.ours, target.given, {}, nullptr);
  return absl::StrFormat("differs by up to %.2g: %s at %s", difference.values.max_absolute,
                         difference.values.max_absolute_pair, difference.values.max_absolute_at);
}

}  // namespace

absl::StatusOr<std::optional<RuntimeGroup>> FindRuntimeGroup(const Evaluator& evaluator,
                                                             const Feeds& feeds,
                                                             const RuntimeResults& results,
                                                             Runtime* runtime) {
  const Model& model = evaluator.model();
  OwnInputs own(model, results);
  OnResults watcher([&](const Result& result, std::optional<Value>* replacement) {
    return own.See(result, replacement);
  });
  OC_RETURN_IF_ERROR(evaluator.Run(feeds, &watcher).status());
  if (!own.target().has_value()) return std::nullopt;
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
  const GroupSearch search(model, own, runtime);
  Target target = *own.target();
  std::vector<size_t> group = search.Find(target);
  if (group.size() > 2) {
    const Target first = search.FirstChanged(group, target);
    const std::vector<size_t> before = search.Find(first);
    if (first.name != target.name && !before.empty()) {
      target = first;
      group = before;
    }
  }
  if (group.empty()) {
    return RuntimeGroup{
        target.name,
        absl::StrCat("the result of ", info.Text(), " in the whole model ", HowFar(target),
                     "; the nodes up to it without the rest do not show that")};
  }
  if (group.size() == 1) {
    return RuntimeGroup{
        target.name, absl::StrCat("alone, on the right's own inputs, the result of ", info.Text(),
                                  " ", HowFar(target))};
  }
  return RuntimeGroup{target.name, absl::StrCat("the result of ", info.Text(), " ", HowFar(target),
                                                " when it runs ", group.size(),
                                                " nodes together: ", GroupNames(model, group))};
}

}  // namespace onnxcmp
