#include "compare/causes/weighed_causes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/searched_values.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/text/short_text.h"

namespace onnxcmp {

Replacements CauseWeigher::WithSiblings(const absl::btree_set<int>& matched) const {
  const SideGraph& right = run_.right();
  Replacements values;
  for (const int r : matched) {
    values[r] = state_.at(r).held;
    const int n = right.producer(r);
    if (n == kNone) continue;
    for (const int output : right.node(n).made->outputs) {
      if (output == kNone || output == r) continue;
      if (state_.at(output).match != kNone) {
        values[output] = state_.at(output).held;
      } else if (const int partner = run_.aligned(output);
                 partner != kNone &&
                 run_.left().graph().result(partner).type == right.result(output).type) {
        values[output] = run_.left().value_of(partner);
      }
    }
  }
  return values;
}

void CauseWeigher::WeighOnOutputs(bool all_matched, CauseReport* report) const {
  absl::btree_set<int> wrong;
  for (const Cause& cause : report->causes) {
    if (IsWrong(cause) && cause.kind != CauseKind::kPrecision) wrong.insert(cause.judged);
  }
  if (wrong.empty()) return;
  std::vector<Value> outputs;
  if (all_matched) {
    CauseEffects effects(run_, *sides_.right.evaluator(), *sides_.right.side->feeds(), 0);
    outputs = effects.OutputsWithout(WithSiblings(wrong));
  }
  for (const auto& [number, value] : options_.doubtful) {
    OutputEffect& effect = report->effects.emplace_back();
    effect.output = number;
    const auto& shown = run_.right().outputs();
    for (size_t i = 0; i < std::min(shown.size(), outputs.size()); ++i) {
      if (shown[i].first != number || !IsMeasurable(value) || !IsMeasurable(outputs[i])) continue;
      effect.moved = RelativeRms(value.tensor(), outputs[i].tensor());
    }
  }
}

void CauseWeigher::AddLowered(const Unexplained& unexplained, const Replacements& named,
                              CauseEffects* effects, std::vector<Cause>* causes) const {
  const auto most = static_cast<size_t>(options_.limits.causes);
  if (causes->size() >= most) return;
  const auto distance_with = [&](const Replacements& with) {
    Replacements values = with;
    values.insert(named.begin(), named.end());
    return effects->DistanceWithout(values);
  };
  for (Cause& cause : LoweredTypes(run_, state_, unexplained, distance_with)) {
    if (causes->size() < most) causes->push_back(std::move(cause));
  }
}

void CauseWeigher::WeighEffects(CauseReport* report) const {
  constexpr int kMaxWeighed = 10;
  std::vector<Cause>& causes = report->causes;
  absl::btree_map<int, std::optional<double>> wrong;  // by judged result: the effect
  for (const Cause& cause : causes) {
    if (IsWrong(cause)) wrong[cause.judged];
  }
  // The left's values take memory, too.
  const int64_t keep =
      wrong.size() > 1 ? options_.search_memory - ComputedBytes(*sides_.left.stream) : 0;
  CauseEffects effects(run_, *sides_.right.evaluator(), *sides_.right.side->feeds(), keep);
  // Several causes may be inside one node.
  absl::btree_set<int> all(judged_.others.begin(), judged_.others.end());
  for (const Cause& cause : causes) all.insert(cause.judged);
  const Replacements named = WithSiblings(all);
  const auto all_but = [&](int left_out) {
    absl::btree_set<int> replaced = all;
    replaced.erase(left_out);
    Replacements values = WithSiblings(replaced);
    // Our interpreter runs the nodes behind the fault; the fault itself is the runtime's.
    if (left_out != kNone && run_.right().runner() != nullptr) {
      values[left_out] = state_.at(left_out).own;
    }
    return effects.DistanceWithout(values);
  };
  // Results that a runtime gives only of nodes together cannot be told here.
  if (all.empty() && run_.right().runner() != nullptr) return;
  // Runs with one cause left in place differ from this one only behind that cause.
  const std::optional<double> rest = all_but(kNone);
  int weighed = 0;
  for (auto& [r, effect] : wrong) {
    if (wrong.size() > 1 && weighed++ < kMaxWeighed) effect = all_but(r);
  }
  for (Cause& cause : causes) {
    if (IsWrong(cause)) cause.effect = wrong[cause.judged];
  }
  const SideGraph& left = run_.left().graph();
  const double unexplained = UnexplainedLimit(left, run_.right());
  if (rest.value_or(0) <= unexplained) return;
  const size_t before = causes.size();
  AddLowered({*rest, unexplained}, named, &effects, &causes);
  if (causes.size() > before) return;
  // Large enough to account for the difference of the outputs, roughly.
  constexpr double kLoud = 0.1;
  if (causes.empty() && judged_.loudest_distance >= kLoud * *rest) {
    report->notes.push_back(absl::StrFormat(
        "rounding explains the difference of the outputs: on the same inputs '%s' | '%s' differ "
        "by %s of their size, as they do when values inside are moved by their last place",
        left.result(judged_.loudest.first).name, run_.right().result(judged_.loudest.second).name,
        TwoDigits(judged_.loudest_distance)));
    return;
  }
  report->notes.push_back(
      causes.empty()
          ? std::string("no cause was found for the difference of the outputs")
          : absl::StrFormat("the causes do not explain all: without them the outputs still differ "
                            "by %s of their size",
                            TwoDigits(*rest)));
}

}  // namespace onnxcmp
