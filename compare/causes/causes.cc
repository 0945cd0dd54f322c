#include "compare/causes/causes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "compare/causes/attribute_differences.h"
#include "compare/causes/body_search.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/cause_effects.h"
#include "compare/causes/cause_refinement.h"
#include "compare/causes/cause_text.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/first_overflow.h"
#include "compare/causes/iteration_search.h"
#include "compare/causes/lowered_types.h"
#include "compare/causes/quick_look.h"
#include "compare/causes/repaired_pairs.h"
#include "compare/causes/searched_values.h"
#include "compare/causes/shape_causes.h"
#include "compare/differences/infinity.h"
#include "compare/differences/tensor_difference.h"
#include "compare/forced/forced_run.h"
#include "compare/forced/lost_nodes.h"
#include "compare/forced/region_noise.h"
#include "compare/graphs/left_classes.h"
#include "compare/graphs/side_graph.h"
#include "compare/repair/repair.h"
#include "compare/streams/common_form.h"
#include "compare/text/short_text.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr int kMaxBodySearches = 16;
// What rounding may do over all iterations of a loop hides much of what goes wrong in each: from
// this ratio on the iterations are looked at by themselves.
constexpr double kRatioInside = 4;
// From here on rounding must leave no trace in double to be what explains a difference: what is
// badly conditioned, and what has 16 bits, hides mistakes of some percent.
constexpr double kRatioInDouble = 8;

// Whether anything that is paired has other bits.
bool AnythingDiffers(const PerSide<RecordedSide>& sides, const Alignment& alignment) {
  for (size_t r = 0; r < alignment.right_to_left.size(); ++r) {
    const int l = alignment.right_to_left[r];
    if (l != kNone && sides.left.result(l).fingerprint.content !=
                          sides.right.stream->results[r].fingerprint.content) {
      return true;
    }
  }
  return false;
}

class CauseFinder {
 public:
  CauseFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
              const CauseOptions& options)
      : left_(sides.left),
        right_(sides.right),
        options_(options),
        alignment_(alignment),
        aligned_(PartnersInOrder(alignment, SideId::kRight)),
        left_form_(FormOf(*left_.stream)),
        right_form_(FormOf(*right_.stream)),
        left_graph_(left_form_.has_value() ? *left_form_ : *left_.stream, left_.evaluator()),
        right_graph_(right_form_.has_value() ? *right_form_ : *right_.stream, right_.evaluator()) {}

  absl::StatusOr<CauseReport> Find() {
    CauseReport report;
    if (IsCleanAtALook(&report)) return report;
    if (const int64_t bytes = ComputedBytes(*left_.stream); bytes > options_.search_memory) {
      report.not_searched =
          absl::StrCat("the left's results take ", BytesText(bytes), ", more than --search-memory");
      return report;
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> values, AllValues(left_, left_graph_, options_.watch));
    const LeftClasses classes(left_graph_, std::move(values), options_.pool);
    const ForcedRun run(classes, right_graph_, aligned_, Leaves(),
                        PlainValues(right_, right_graph_),
                        LostNodes(classes, right_graph_, aligned_, options_.far));
    Repaired repaired = Repair(run, Hints(), options_.limits);
    const ForcedState& state = repaired.state;
    if (!Judge(run, state, &report)) {
      repaired.limits.insert(absl::StrCat(options_.limits.causes, " causes"));
    }
    report.repaired = PairsToAdd(classes, right_graph_, state, alignment_, report.causes);
    report.repaired_values = ValuesAtHand(report.repaired, run, state);
    if (!repaired.limits.empty()) {
      report.notes.push_back(
          absl::StrCat("the search for causes was cut short, there may be others: it reached its ",
                       repaired.limits.size() == 1 ? "limit of " : "limits of ",
                       absl::StrJoin(repaired.limits, ", ")));
    }
    if (repaired.lost != kNone &&
        !explained_inside_.contains(right_graph_.producer(repaired.lost))) {
      report.notes.push_back(absl::StrCat("nothing after the right's '",
                                          right_graph_.result(repaired.lost).name,
                                          "' could be paired to look for its cause"));
    }
    return report;
  }

 private:
  // Whether the two are known to differ by rounding alone, without a search.
  bool IsCleanAtALook(CauseReport* report) {
    if (!options_.outputs_agree || options_.apart.empty() || left_form_.has_value() ||
        right_form_.has_value()) {
      return false;
    }
    const QuickLook look =
        LookQuickly({left_, right_}, left_graph_, right_graph_, aligned_, Leaves(), options_);
    if (!look.clean) return false;
    if (look.left_out > 0) {
      report->notes.push_back(absl::StrFormat(
          "no cause was looked for at %d of %d results that are farther apart than what they read: "
          "the outputs agree, and that would take longer than a quarter of the run",
          look.left_out, look.suspects));
    }
    return true;
  }

  // Of the right, by result; made at the first need.
  const std::vector<Value>& Leaves() {
    if (!leaves_.has_value()) leaves_ = LeavesOf(right_, right_graph_);
    return *leaves_;
  }

  // Values of the two sides are compared in the form that they have in common.
  static std::optional<ResultStream> FormOf(const ResultStream& stream) {
    if (!HasForms(stream)) return std::nullopt;
    return InCommonForm(stream);
  }

  std::vector<std::pair<int, int>> Hints() const {
    std::vector<std::pair<int, int>> hints;
    for (const auto& [left, right] : alignment_.tentative) hints.emplace_back(right, left);
    for (const int r : right_graph_.results()) {
      if (aligned_[Index(r)] != kNone) {
        hints.emplace_back(r, aligned_[Index(r)]);
      }
    }
    return hints;
  }

  // Whether more than nearness speaks for a match: the alignment or a repair. What 16 bits have
  // near is often something else.
  bool IsVouchedFor(const LeftClasses& classes, const ForcedState& state, int r) const {
    const int partner = aligned_[Index(r)];
    return state.fixed.contains(r) ||
           (partner != kNone && classes.of(partner) == state.at(r).match);
  }

  // What stands for all the results of a node, and for all the constants of one.
  int PlaceOf(int r) const {
    const int n = right_graph_.IsConstant(r) && !right_graph_.readers(r).empty()
                      ? right_graph_.readers(r).front()
                      : right_graph_.producer(r);
    return n == kNone ? -2 - r : n;
  }

  // What is known while the matched results are judged one by one.
  struct Judging {
    const ForcedRun& run;
    const ForcedState& state;
    const RegionNoise& noise;
    CauseTruth truth;
    absl::flat_hash_set<std::pair<int, bool>> places;  // that have a cause: PlaceOf, constant
    absl::flat_hash_map<std::string, size_t> folded;   // causes by the operators of their regions
    std::vector<int> matched;                          // by cause: the right result that was judged
    absl::btree_map<size_t, int> overflows;            // by cause: the result that overflows
  };

  // False if there are more than are looked for.
  bool Judge(const ForcedRun& run, const ForcedState& state, CauseReport* report) {
    const RegionNoise noise(run, state);
    Judging judging = {
        run, state, noise, CauseTruth(run, state, noise, left_.evaluator(), right_.evaluator()),
        {},  {},    {},    {}};
    bool all = true;
    for (const int r : right_graph_.results()) {
      const ForcedResult& result = state.at(r);
      if (result.match == kNone || result.own.empty()) continue;
      if (!JudgeResult(r, &judging, report)) {
        all = false;
        break;
      }
    }
    std::vector<int>& matched = judging.matched;
    for (const size_t i : AfterAnother(judging.overflows, *right_.stream)) {
      others_.push_back(matched[i]);
      report->causes.erase(report->causes.begin() + static_cast<std::ptrdiff_t>(i));
      matched.erase(matched.begin() + static_cast<std::ptrdiff_t>(i));
    }
    NameShapes(run, state, &matched, report);
    bool all_matched = true;
    for (const NodesWithBodies& nodes : UnmatchedNodes(run, state, aligned_)) {
      if (LookInside(run, state, nodes, true, &matched, report)) all_matched = false;
    }
    if (!options_.doubtful.empty()) WeighOnOutputs(run, state, matched, all_matched, report);
    // What has no match cannot be replaced.
    if (!options_.outputs_agree && all_matched) WeighEffects(run, state, matched, report);
    SortByEffect(&report->causes);
    if (!options_.on_found) return all;
    const FoundCause found = {run, state, noise, left_.evaluator(), *right_.evaluator()};
    for (Cause& cause : report->causes) {
      // What is in a body has been told of there, where more is known, but perhaps in vain.
      if (cause.repro == nullptr) options_.on_found(found, &cause);
    }
    return all;
  }

  // One matched right result whose own bits are others. False if it would be a cause too many.
  bool JudgeResult(int r, Judging* judging, CauseReport* report) {
    const ForcedRun& run = judging->run;
    const ForcedState& state = judging->state;
    const RegionNoise& noise = judging->noise;
    RegionNoise::Verdict verdict = noise.Judge(r);
    if (verdict.distance > 0 && IsWrapped(run, state, noise, r)) verdict.ratio = kInfinity;
    const bool told_otherwise = verdict.distance > 0 && AttributesExplain(run, state, r) &&
                                judging->truth.MayBeApartInDouble(r);
    if (verdict.ratio <= kRatioInside && !told_otherwise) {
      if (verdict.distance > loudest_distance_) {
        loudest_distance_ = verdict.distance;
        loudest_ = {run.left().representative(state.at(r).match), r};
      }
      return true;
    }
    const std::pair<int, bool> place = {PlaceOf(r), right_graph_.IsConstant(r)};
    if (judging->places.contains(place)) return true;
    const bool beyond = verdict.ratio > RegionNoise::kMaxRatio || told_otherwise ||
                        (verdict.ratio > kRatioInDouble && IsVouchedFor(run.left(), state, r) &&
                         judging->truth.IsApartInDouble(r));
    // Those that are counted with another are not held against it.
    if (beyond && static_cast<int>(report->causes.size()) >= options_.limits.causes) return false;
    if (beyond && (ReadsSaturated(run, state, noise, r) || noise.AgreesOnItsOwn(r) ||
                   (options_.outputs_agree && IsAnotherMask(right_graph_, r, state.at(r))))) {
      others_.push_back(r);
      return true;
    }
    const std::optional<NodesWithBodies> nodes = NodesAfter(run, state, noise, r);
    const bool explained_inside =
        nodes.has_value() && LookInside(run, state, *nodes, beyond, &judging->matched, report);
    if (!explained_inside && !beyond) return true;
    judging->places.insert(place);
    if (!explained_inside) NameCause(r, verdict, judging, report);
    return true;
  }

  // Of a result that rounding does not explain.
  void NameCause(int r, const RegionNoise::Verdict& verdict, Judging* judging,
                 CauseReport* report) {
    const ForcedRun& run = judging->run;
    const ForcedState& state = judging->state;
    const CauseClass found = ClassOf(run, state, judging->noise, r, verdict, &judging->truth);
    if (found.of_grids && options_.outputs_agree && !IsMistake(found.kind)) {
      others_.push_back(r);
      return;
    }
    Cause cause;
    cause.kind = found.kind;
    cause.known_form = found.known_form;
    if (!found.operators.empty()) {
      const auto [it, added] = judging->folded.try_emplace(found.operators, report->causes.size());
      if (!added) {
        ++report->causes[it->second].count;
        others_.push_back(r);
        return;
      }
    }
    const std::optional<FirstOverflow> overflow =
        IsMistake(found.kind) ? FindFirstOverflow(run, state, judging->noise, r) : std::nullopt;
    std::tie(cause.left, cause.right) = overflow.has_value()
                                            ? std::pair(overflow->left, overflow->right)
                                            : Refined(run, state, judging->noise, r);
    if (cause.right != r && right_graph_.IsConstant(cause.right)) {
      cause.kind = CauseKind::kInitializer;
    }
    cause.local = TensorDifferenceOf(state.at(r).held, state.at(r).own, {}, options_.pool);
    cause.judged = r;
    if (overflow.has_value()) {
      cause.text = overflow->text;
      cause.overflow = true;
      judging->overflows[report->causes.size()] = overflow->right;
    } else {
      cause.text = CauseText(cause, run, state);
      judging->truth.Judge(r, &cause);
    }
    report->causes.push_back(std::move(cause));
    judging->matched.push_back(r);
  }

  // Outputs that have the left's elements in another shape.
  void NameShapes(const ForcedRun& run, const ForcedState& state, std::vector<int>* matched,
                  CauseReport* report) const {
    for (Cause& cause : ShapeCauses(run, state)) {
      const auto is_it = [&](const Cause& other) { return other.right == cause.right; };
      if (absl::c_any_of(report->causes, is_it)) continue;
      matched->push_back(cause.right);
      report->causes.push_back(std::move(cause));
    }
  }

  // Whether what the nodes of a matched result run tells more of it: the causes inside are named,
  // or it is rounding that adds up there. `beyond`: rounding does not explain it as it is, and what
  // could not be looked at is told.
  bool LookInside(const ForcedRun& run, const ForcedState& state, const NodesWithBodies& nodes,
                  bool beyond, std::vector<int>* matched, CauseReport* report) {
    const int r = nodes.right_result;
    if (!looked_inside_.insert({nodes.left, nodes.right}).second) return false;
    absl::StatusOr<BodyFindings> found = SearchBodies(run, state, nodes, options_);
    if (!found.ok()) {
      if (beyond) {
        report->notes.push_back(
            absl::StrCat("'", right_graph_.result(r).name,
                         "' was looked at as one node: ", found.status().message()));
      }
      return false;
    }
    if (beyond || !found->causes.empty()) {
      report->notes.insert(report->notes.end(), found->notes.begin(), found->notes.end());
    }
    if (found->rounding) others_.push_back(r);
    for (Cause& cause : found->causes) {
      Locate({nodes.left_result, r}, *left_.stream, *right_.stream, &cause);
      // What several nodes read from around is found in each of them.
      if (absl::c_any_of(report->causes, [&](const Cause& other) {
            return !cause.in_body.has_value() && other.left == cause.left &&
                   other.right == cause.right;
          })) {
        others_.push_back(r);
        continue;
      }
      if (!cause.local.has_value()) {
        const Value& wanted = run.left().value_of(nodes.left_result);
        cause.local = TensorDifferenceOf(wanted, state.at(r).own, {}, options_.pool);
      }
      cause.judged = r;
      report->causes.push_back(std::move(cause));
      matched->push_back(r);
    }
    if (!found->causes.empty()) explained_inside_.insert(nodes.right);
    return found->rounding || !found->causes.empty();
  }

  // The left's values of these matched results, and of all outputs of the nodes that made them:
  // those that match nothing are the left's aligned ones.
  Replacements WithSiblings(const ForcedRun& run, const ForcedState& state,
                            const absl::btree_set<int>& matched) const {
    Replacements values;
    for (const int r : matched) {
      values[r] = state.at(r).held;
      const int n = right_graph_.producer(r);
      if (n == kNone) continue;
      for (const int output : right_graph_.node(n).made->outputs) {
        if (output == kNone || output == r) continue;
        if (state.at(output).match != kNone) {
          values[output] = state.at(output).held;
        } else if (const int partner = aligned_[Index(output)];
                   partner != kNone &&
                   left_graph_.result(partner).type == right_graph_.result(output).type) {
          values[output] = run.left().value_of(partner);
        }
      }
    }
    return values;
  }

  // What wrong causes do to outputs that agree because much is allowed there.
  void WeighOnOutputs(const ForcedRun& run, const ForcedState& state,
                      const std::vector<int>& matched, bool all_matched,
                      CauseReport* report) const {
    absl::btree_set<int> wrong;
    for (size_t i = 0; i < report->causes.size(); ++i) {
      const Cause& cause = report->causes[i];
      if (IsWrong(cause) && cause.kind != CauseKind::kPrecision) wrong.insert(matched[i]);
    }
    if (wrong.empty()) return;
    std::vector<Value> outputs;
    if (all_matched) {
      CauseEffects effects(run, *right_.evaluator(), *right_.side->feeds(), 0);
      outputs = effects.OutputsWithout(WithSiblings(run, state, wrong));
    }
    for (const auto& [number, value] : options_.doubtful) {
      OutputEffect& effect = report->effects.emplace_back();
      effect.output = number;
      const auto& shown = right_graph_.outputs();
      for (size_t i = 0; i < std::min(shown.size(), outputs.size()); ++i) {
        if (shown[i].first != number || !IsMeasurable(value) || !IsMeasurable(outputs[i])) continue;
        effect.moved = RelativeRms(Measure(value.tensor()), Measure(outputs[i].tensor()));
      }
    }
  }

  // `named`: the left's values of all causes so far.
  void AddLowered(const Unexplained& unexplained, const ForcedRun& run, const ForcedState& state,
                  const Replacements& named, CauseEffects* effects,
                  std::vector<Cause>* causes) const {
    const auto most = static_cast<size_t>(options_.limits.causes);
    if (causes->size() >= most) return;
    const auto distance_with = [&](const Replacements& with) {
      Replacements values = with;
      values.insert(named.begin(), named.end());
      return effects->DistanceWithout(values);
    };
    for (Cause& cause : LoweredTypes(run, state, unexplained, distance_with)) {
      if (causes->size() < most) causes->push_back(std::move(cause));
    }
  }

  // What each cause does to the outputs when all others are corrected, and what is left when all
  // are.
  void WeighEffects(const ForcedRun& run, const ForcedState& state, const std::vector<int>& matched,
                    CauseReport* report) const {
    constexpr int kMaxWeighed = 10;
    std::vector<Cause>& causes = report->causes;
    absl::btree_map<int, std::optional<double>> wrong;  // by matched result: the effect
    for (size_t i = 0; i < causes.size(); ++i) {
      if (IsWrong(causes[i])) wrong[matched[i]];
    }
    // The left's values are held as well.
    const int64_t keep =
        wrong.size() > 1 ? options_.search_memory - ComputedBytes(*left_.stream) : 0;
    CauseEffects effects(run, *right_.evaluator(), *right_.side->feeds(), keep);
    // Several causes may be inside one node.
    absl::btree_set<int> all(others_.begin(), others_.end());
    all.insert(matched.begin(), matched.end());
    const Replacements named = WithSiblings(run, state, all);
    const auto all_but = [&](int left_out) {
      absl::btree_set<int> replaced = all;
      replaced.erase(left_out);
      return effects.DistanceWithout(WithSiblings(run, state, replaced));
    };
    // What one cause does differs from this behind that cause alone.
    const std::optional<double> rest = all_but(kNone);
    int weighed = 0;
    for (auto& [r, effect] : wrong) {
      if (wrong.size() > 1 && weighed++ < kMaxWeighed) effect = all_but(r);
    }
    for (size_t i = 0; i < causes.size(); ++i) {
      if (IsWrong(causes[i])) causes[i].effect = wrong[matched[i]];
    }
    const double unexplained = UnexplainedLimit(left_graph_, right_graph_);
    if (rest.value_or(0) <= unexplained) return;
    const size_t before = causes.size();
    AddLowered({*rest, unexplained}, run, state, named, &effects, &causes);
    if (causes.size() > before) return;
    // So that it is as great as the difference of the outputs, about.
    constexpr double kLoud = 0.1;
    if (causes.empty() && loudest_distance_ >= kLoud * *rest) {
      report->notes.push_back(absl::StrFormat(
          "rounding explains the difference of the outputs: on the same inputs '%s' | '%s' differ "
          "by %.2g of their size, as they do when values inside are moved by their last place",
          left_graph_.result(loudest_.first).name, right_graph_.result(loudest_.second).name,
          loudest_distance_));
      return;
    }
    report->notes.push_back(
        causes.empty() ? std::string("no cause was found for the difference of the outputs")
                       : absl::StrFormat(
                             "the causes do not explain all: without them the outputs still differ "
                             "by %.2g of their size",
                             *rest));
  }

  const RecordedSide& left_;
  const RecordedSide& right_;
  const CauseOptions& options_;
  const Alignment& alignment_;
  std::vector<int> others_;  // right results that are counted with another cause
  absl::btree_set<std::pair<int, int>> looked_inside_;  // nodes of the left and of the right
  absl::btree_set<int> explained_inside_;               // nodes of the right with a cause inside
  std::vector<int> aligned_;
  // The pair that is farthest apart of those that rounding explains: results of left and right.
  std::pair<int, int> loudest_ = {kNone, kNone};
  double loudest_distance_ = 0;
  std::optional<ResultStream> left_form_;  // what the graphs are of, if it is not the side's own
  std::optional<ResultStream> right_form_;
  SideGraph left_graph_;
  SideGraph right_graph_;
  std::optional<std::vector<Value>> leaves_;
};

}  // namespace

absl::StatusOr<CauseReport> FindCauses(const PerSide<RecordedSide>& sides,
                                       const Alignment& alignment, const CauseOptions& options) {
  if (!AnythingDiffers(sides, alignment)) return CauseReport();
  if (sides.right.evaluator() == nullptr) {
    CauseReport report;
    report.not_searched = absl::StrCat(
        "the right is a recording, and causes are found by running the right model on "
        "the left's values",
        sides.left.evaluator() == nullptr ? "" : "; exchange the two sides");
    return report;
  }
  int body_searches = kMaxBodySearches;
  CauseOptions bounded = options;
  if (bounded.body_searches == nullptr) bounded.body_searches = &body_searches;
  return CauseFinder(sides, alignment, bounded).Find();
}

}  // namespace onnxcmp
