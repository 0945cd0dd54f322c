#include "compare/causes/weighed_causes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/searched_values.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// True if a result leads to another one of these.
bool LeadsTo(const SideGraph& graph, int r, const absl::btree_set<int>& results) {
  bool leads = false;
  graph.ReachAfter({r}, [&](int after) {
    leads = leads || (after != r && results.contains(after));
    return !leads;
  });
  return leads;
}

}  // namespace

// The outputs of the right with some of its results replaced.
struct CauseWeigher::Trial {
  // The certificate of the cause, `without` which another trial was. `others`: both were without
  // all other causes.
  void Certify(const Trial& without, bool others, Cause* cause) const {
    if (apart.has_value() && without.apart.has_value()) {
      cause->mending = Mending{*apart, *without.apart, agree, without.agree, others};
    } else {
      cause->not_tried = ran && without.ran ? "no output has numbers"
                                            : "the right does not run with the left's value";
    }
  }

  bool ran = false;
  std::optional<double> apart;
  bool agree = false;
};

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
    CauseEffects effects(run_, 0);
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
  Trial last;
  const auto distance_with = [&](const Replacements& with) {
    Replacements values = with;
    values.insert(named.begin(), named.end());
    last = TrialOf(*effects, effects->OutputsWithout(values));
    return last.apart;
  };
  // The last trial is that with these causes replaced.
  for (Cause& cause : LoweredTypes(run_, state_, unexplained, distance_with)) {
    if (options_.agrees && cause.mending.has_value()) {
      const Mending& tried = *cause.mending;
      cause.mending = Mending{tried.before, tried.after, false, last.agree, tried.others};
    }
    if (causes->size() < most) causes->push_back(std::move(cause));
  }
}

CauseWeigher::Trial CauseWeigher::TrialOf(const CauseEffects& effects,
                                          absl::Span<const Value> outputs) const {
  const bool ran = !outputs.empty();
  return {ran, effects.DistanceOf(outputs), ran && options_.agrees && options_.agrees(outputs)};
}

void CauseWeigher::CertifyAll(const Trials& trials, const Trial& rest,
                              const absl::btree_set<int>& all, std::vector<Cause>* causes) const {
  const bool others = causes->size() > 1;
  for (Cause& cause : *causes) {
    const auto found = trials.find(cause.judged);
    if (!IsWrong(cause) || found == trials.end()) continue;
    if (!found->second.has_value()) {
      cause.not_tried = absl::StrCat("it is not among the first ", work_bounds::kFewTrials);
    } else if (others && found->second->apart == rest.apart &&
               LeadsTo(run_.right(), cause.judged, all)) {
      cause.not_tried = "all that it leads to passes through other causes";
    } else {
      found->second->Certify(rest, others, &cause);
    }
  }
}

void CauseWeigher::DropWithoutGain(const absl::btree_set<int>& all,
                                   absl::FunctionRef<Trial(const absl::btree_set<int>&)> mended,
                                   CauseReport* report) const {
  absl::btree_set<int> gaining = all;
  for (const Cause& cause : report->causes) {
    const std::optional<Mending>& mending = cause.mending;
    if (mending.has_value() && mending->agreed && mending->agree && !(mending->gain() > 0)) {
      gaining.erase(cause.judged);
    }
  }
  const bool any_left = absl::c_any_of(report->causes, [&](const Cause& cause) {
    return IsWrong(cause) && gaining.contains(cause.judged);
  });
  if (!any_left || gaining.size() == all.size()) return;
  // Each alone can be spared; several may stand in for each other.
  if (all.size() - gaining.size() > 1 && !mended(gaining).agree) return;
  const auto review = [&](const Cause& cause) {
    return gaining.contains(cause.judged) ? std::nullopt : std::optional(Veto::kNoGain);
  };
  Dismiss(review, &report->causes, &report->dismissed);
}

void CauseWeigher::WeighEffects(CauseReport* report) const {
  std::vector<Cause>& causes = report->causes;
  Trials trials;  // by judged result of mistakes: with that cause alone
  for (const Cause& cause : causes) {
    if (IsWrong(cause)) trials[cause.judged] = std::nullopt;
  }
  // Several causes may be inside one node.
  absl::btree_set<int> all(judged_.others.begin(), judged_.others.end());
  for (const Cause& cause : causes) all.insert(cause.judged);
  const bool certified = static_cast<bool>(options_.agrees);
  const bool each = trials.size() > 1 || (certified && !trials.empty() && causes.size() > 1);
  // The left's values take memory, too.
  const int64_t keep = each ? options_.search_memory - ComputedBytes(*sides_.left.stream) : 0;
  CauseEffects effects(run_, keep);
  const Replacements named = WithSiblings(all);
  const auto mended = [&](const absl::btree_set<int>& replaced) {
    return TrialOf(effects, effects.OutputsWithout(WithSiblings(replaced)));
  };
  const auto all_but = [&](int left_out) {
    absl::btree_set<int> replaced = all;
    replaced.erase(left_out);
    Replacements values = WithSiblings(replaced);
    // Our interpreter runs the nodes behind the fault; the fault itself is the runtime's.
    if (run_.right().runner() != nullptr) values[left_out] = state_.at(left_out).own;
    return TrialOf(effects, effects.OutputsWithout(values));
  };
  // Results that a runtime gives only of nodes together cannot be told here.
  if (all.empty() && run_.right().runner() != nullptr) return;
  // Runs with one cause left in place differ from this one only behind that cause.
  const Trial rest = mended(all);
  int weighed = 0;
  for (auto& [r, trial] : trials) {
    if (each && weighed++ < work_bounds::kFewTrials) trial = all_but(r);
    if (!each && certified) trial = TrialOf(effects, options_.outputs);
  }
  for (Cause& cause : causes) {
    if (trials.size() < 2 || !IsWrong(cause)) continue;
    if (const std::optional<Trial>& trial = trials[cause.judged]) cause.effect = trial->apart;
  }
  if (certified) {
    CertifyAll(trials, rest, all, &causes);
    DropWithoutGain(all, mended, report);
  }
  AddUnexplained(rest.apart.value_or(0), named, &effects, report);
}

// Names what the causes do not explain, or says that they do not.
void CauseWeigher::AddUnexplained(double rest, const Replacements& named, CauseEffects* effects,
                                  CauseReport* report) const {
  std::vector<Cause>& causes = report->causes;
  const SideGraph& left = run_.left().graph();
  const double unexplained = UnexplainedLimit(left, run_.right());
  if (rest <= unexplained) return;
  const size_t before = causes.size();
  AddLowered({rest, unexplained}, named, effects, &causes);
  if (causes.size() > before) return;
  // Large enough to account for the difference of the outputs, roughly.
  constexpr double kLoud = 0.1;
  if (causes.empty() && judged_.loudest_distance >= kLoud * rest) {
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
                            TwoDigits(rest)));
}

}  // namespace onnxcmp
