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
#include "compare/causes/cause_refinement.h"
#include "compare/causes/cause_text.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/first_overflow.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/lost_nodes.h"
#include "compare/causes/forced/region_noise.h"
#include "compare/causes/forced/same_model.h"
#include "compare/causes/iteration_search.h"
#include "compare/causes/kernel_rounding.h"
#include "compare/causes/prescreen.h"
#include "compare/causes/repair/repair.h"
#include "compare/causes/repaired_pairs.h"
#include "compare/causes/searched_values.h"
#include "compare/causes/shape_causes.h"
#include "compare/causes/weighed_causes.h"
#include "compare/differences/infinity.h"
#include "compare/differences/tensor_difference.h"
#include "compare/graphs/ahead_runner.h"
#include "compare/graphs/side_graph.h"
#include "compare/graphs/value_classes.h"
#include "compare/operators/operator_traits.h"
#include "compare/streams/common_form.h"
#include "compare/streams/fingerprint.h"
#include "compare/text/short_text.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr int kMaxBodySearches = 16;
// Rounding over all iterations of a loop hides many mistakes within one: from this ratio on,
// iterations are searched one by one.
constexpr double kRatioInside = 4;
// From this ratio on, rounding explains a difference only if it vanishes in double: ill-conditioned
// nodes and 16-bit types hide mistakes of some percent.
constexpr double kRatioInDouble = 8;

// True if any pair has different bits.
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
        left_graph_(left_form_.has_value() ? *left_form_ : *left_.stream, left_.evaluator(),
                    left_.side->node_runner()),
        right_graph_(right_form_.has_value() ? *right_form_ : *right_.stream, right_.evaluator(),
                     right_.side->node_runner()) {}

  absl::StatusOr<CauseReport> Find() {
    CauseReport report;
    if (PassesPrescreen(&report)) return report;
    if (const int64_t bytes = ComputedBytes(*left_.stream); bytes > options_.search_memory) {
      report.not_searched =
          absl::StrCat("the left's results take ", BytesText(bytes), ", more than --search-memory");
      return report;
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> values, AllValues(left_, left_graph_, options_.watch));
    const ValueClasses classes(left_graph_, std::move(values), options_.pool);
    const ForcedRun run(classes, right_graph_, aligned_, Leaves(),
                        PlainValues(right_, right_graph_),
                        LostNodes(classes, right_graph_, aligned_, options_.far));
    Repaired repaired = PairResults(run);
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
    // A result with a cause need not be paired any further.
    if (repaired.lost != kNone && absl::c_none_of(report.causes, IsWrong) &&
        !explained_inside_.contains(right_graph_.producer(repaired.lost))) {
      report.notes.push_back(absl::StrCat("nothing after the right's '",
                                          right_graph_.result(repaired.lost).name,
                                          "' could be paired to look for its cause"));
    }
    return report;
  }

 private:
  // Passes the prescreen: true if the two are known to differ by rounding alone, without a search.
  bool PassesPrescreen(CauseReport* report) {
    if (!options_.outputs_agree || options_.apart.empty() || left_form_.has_value() ||
        right_form_.has_value()) {
      return false;
    }
    const Prescreen look =
        PrescreenCauses({left_, right_}, left_graph_, right_graph_, aligned_, Leaves(), options_);
    if (!look.clean) return false;
    if (look.left_out > 0) {
      report->notes.push_back(absl::StrFormat(
          "no cause was looked for at %d of %d results that are farther apart than what they read: "
          "the outputs agree, and that would take longer than a quarter of the run",
          look.left_out, look.suspects));
    }
    return true;
  }

  // What computes the values that a side ought to have; null if nothing does.
  static const Evaluator* TruthOf(const RecordedSide& side) {
    const auto* const runner = dynamic_cast<const AheadRunner*>(side.side->node_runner());
    return runner == nullptr || runner->runs_model() ? side.evaluator() : nullptr;
  }

  // One model in two places is paired by its names, however far the values are apart.
  Repaired PairResults(const ForcedRun& run) {
    if (right_graph_.runner() != nullptr || left_.side->node_runner() != nullptr) {
      if (const auto matches = MatchesOfSameModel(run.left(), right_graph_)) {
        RunAheadOn(run, *matches);
        Repaired paired;
        paired.state = run.Run(*matches);
        return paired;
      }
    }
    return Repair(run, Hints(), options_.limits);
  }

  // Values of the right's constants and inputs, by result; computed on first use.
  const std::vector<Value>& Leaves() {
    if (!leaves_.has_value()) leaves_ = LeavesOf(right_, right_graph_);
    return *leaves_;
  }

  // The stream in the form that both sides share, in which their values are compared.
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

  // True if the alignment or a repair confirms the match. Distance alone misleads in 16-bit types.
  bool IsConfirmed(const ValueClasses& classes, const ForcedState& state, int r) const {
    const int partner = aligned_[Index(r)];
    return state.fixed.contains(r) ||
           (partner != kNone && classes.of(partner) == state.at(r).match);
  }

  // Identifies the place of a result: one for all results of a node, and one for all its constants.
  int PlaceOf(int r) const {
    const int n = right_graph_.IsConstant(r) && !right_graph_.readers(r).empty()
                      ? right_graph_.readers(r).front()
                      : right_graph_.producer(r);
    return n == kNone ? -2 - r : n;
  }

  // State while the matched results are judged one by one.
  struct Judging {
    const ForcedRun& run;
    const ForcedState& state;
    const RegionNoise& noise;
    CauseTruth truth;
    absl::flat_hash_set<std::pair<int, bool>> places;  // with a cause: PlaceOf, constant
    absl::flat_hash_map<std::string, size_t> folded;   // causes by the operators of their regions
    absl::btree_map<size_t, int> overflows;            // by cause: the result that overflows
  };

  // False if there are more causes than the limit.
  bool Judge(const ForcedRun& run, const ForcedState& state, CauseReport* report) {
    const RegionNoise noise(run, state);
    Judging judging = {
        run, state, noise, CauseTruth(run, state, noise, TruthOf(left_), right_.evaluator()),
        {},  {},    {}};
    bool all = true;
    for (const int r : right_graph_.results()) {
      const ForcedResult& result = state.at(r);
      if (result.match == kNone || result.own.empty()) continue;
      if (!JudgeResult(r, &judging, report)) {
        all = false;
        break;
      }
    }
    std::vector<int>& matched = judged_.matched;
    for (const size_t i : AfterAnother(judging.overflows, *right_.stream)) {
      judged_.others.push_back(matched[i]);
      report->causes.erase(report->causes.begin() + static_cast<std::ptrdiff_t>(i));
      matched.erase(matched.begin() + static_cast<std::ptrdiff_t>(i));
    }
    NameShapes(run, state, report);
    bool all_matched = true;
    for (const NodesWithBodies& nodes : UnmatchedNodes(run, state, aligned_)) {
      if (LookInside(run, state, nodes, true, report)) all_matched = false;
    }
    const CauseWeigher weigher(run, state, {left_, right_}, options_, judged_);
    if (!options_.doubtful.empty()) weigher.WeighOnOutputs(all_matched, report);
    // A result without a match cannot be replaced.
    if (!options_.outputs_agree && all_matched) weigher.WeighEffects(report);
    SortByEffect(&report->causes);
    if (!options_.on_found) return all;
    const FoundCause found = {run, state, noise, left_.evaluator(), *right_.evaluator()};
    for (Cause& cause : report->causes) {
      // Causes in a body were passed to on_found there, where more is known, but possibly without a
      // repro.
      if (cause.repro == nullptr) options_.on_found(found, &cause);
    }
    return all;
  }

  // Judges a matched right result whose local bits differ. False if it would exceed the limit of
  // causes.
  bool JudgeResult(int r, Judging* judging, CauseReport* report) {
    const ForcedRun& run = judging->run;
    const ForcedState& state = judging->state;
    const RegionNoise& noise = judging->noise;
    RegionNoise::Verdict verdict = noise.Judge(r);
    if (verdict.distance > 0 && IsWrapped(run, state, noise, r)) verdict.ratio = kInfinity;
    const bool told_otherwise = verdict.distance > 0 && AttributesExplain(run, state, r) &&
                                judging->truth.MayBeApartInDouble(r);
    const bool ours = right_graph_.runner() == nullptr;
    if (!ours && RoundsToIntegers(r) && AreNextIntegers(state.at(r).held, state.at(r).own)) {
      return true;
    }
    // In double, which tells models apart, a runtime's kernel is not known.
    const bool scaled =
        !ours && verdict.distance > 0 && IsScaled(state.at(r).held, state.at(r).own);
    if (verdict.ratio <= kRatioInside && !told_otherwise && !scaled) {
      if (verdict.distance > judged_.loudest_distance) {
        judged_.loudest_distance = verdict.distance;
        judged_.loudest = {run.left().representative(state.at(r).match), r};
      }
      return true;
    }
    const std::pair<int, bool> place = {PlaceOf(r), right_graph_.IsConstant(r)};
    if (judging->places.contains(place)) return true;
    const bool beyond = verdict.ratio > RegionNoise::kMaxRatio || told_otherwise || scaled ||
                        (verdict.ratio > kRatioInDouble && IsConfirmed(run.left(), state, r) &&
                         judging->truth.IsApartInDouble(r));
    // Causes folded into another do not count against the limit.
    if (beyond && static_cast<int>(report->causes.size()) >= options_.limits.causes) return false;
    if (beyond && !ours && !IsWrongAlone(r, run, state)) return true;
    if (beyond && (ReadsSaturated(run, state, noise, r) || (ours && noise.AgreesOnItsOwn(r)) ||
                   (options_.outputs_agree && IsAnotherMask(right_graph_, r, state.at(r))))) {
      judged_.others.push_back(r);
      return true;
    }
    const std::optional<NodesWithBodies> nodes = NodesAfter(run, state, noise, r);
    const bool explained_inside =
        nodes.has_value() && LookInside(run, state, *nodes, beyond, report);
    if (!explained_inside && !beyond) return true;
    judging->places.insert(place);
    if (!explained_inside) NameCause(r, verdict, judging, report);
    return true;
  }

  // True for results of nodes that compute integers from floats: quantized layers by their scales.
  bool RoundsToIntegers(int r) const {
    const int n = right_graph_.producer(r);
    if (n == kNone || HasTrait(*right_graph_.node(n).made, OperatorTrait::kCasts)) return false;
    return absl::c_any_of(right_graph_.Reads(n), [&](int read) {
      return IsFloatingPoint(right_graph_.result(read).dtype);
    });
  }

  // False if the runtime gives what it should when the node runs alone: what its own run gave came
  // of other nodes, too, or of values between that it did not show.
  bool IsWrongAlone(int r, const ForcedRun& run, const ForcedState& state) const {
    constexpr double kShare = 0.1;
    const int n = right_graph_.producer(r);
    if (n == kNone || right_graph_.IsConstant(r)) return true;
    const absl::StatusOr<std::vector<Value>> outputs =
        right_graph_.RunAsSide(n, [&](int read) -> const Value& { return state.at(read).held; });
    if (!outputs.ok()) return true;
    const auto& made = right_graph_.node(n).made->outputs;
    for (size_t i = 0; i < std::min(made.size(), outputs->size()); ++i) {
      if (made[i] != r || (*outputs)[i].empty()) continue;
      ForcedResult alone = state.at(r);
      alone.own = (*outputs)[i];
      alone.own_content = ContentOf(alone.own, options_.pool);
      return alone.own_content != alone.held_content &&
             !(run.DistanceOf(alone) < kShare * run.DistanceOf(state.at(r)));
    }
    return true;
  }

  // Names the cause of a result that rounding does not explain.
  void NameCause(int r, const RegionNoise::Verdict& verdict, Judging* judging,
                 CauseReport* report) {
    const ForcedRun& run = judging->run;
    const ForcedState& state = judging->state;
    const CauseClass found = ClassOf(run, state, judging->noise, r, verdict, &judging->truth);
    if (found.of_params && options_.outputs_agree && !IsMistake(found.kind)) {
      judged_.others.push_back(r);
      return;
    }
    Cause cause;
    cause.kind = found.kind;
    cause.known_form = found.known_form;
    if (!found.operators.empty()) {
      const auto [it, added] = judging->folded.try_emplace(found.operators, report->causes.size());
      if (!added) {
        ++report->causes[it->second].count;
        judged_.others.push_back(r);
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
    judged_.matched.push_back(r);
  }

  // Outputs that have the left's elements in another shape.
  void NameShapes(const ForcedRun& run, const ForcedState& state, CauseReport* report) {
    for (Cause& cause : ShapeCauses(run, state)) {
      const auto is_it = [&](const Cause& other) { return other.right == cause.right; };
      if (absl::c_any_of(report->causes, is_it)) continue;
      judged_.matched.push_back(cause.right);
      report->causes.push_back(std::move(cause));
    }
  }

  // True if the bodies of a matched result's node tell more about it: causes inside are named, or
  // rounding adds up there. `beyond`: rounding does not explain the result, so notes tell which
  // parts could not be searched.
  bool LookInside(const ForcedRun& run, const ForcedState& state, const NodesWithBodies& nodes,
                  bool beyond, CauseReport* report) {
    const int r = nodes.right_result;
    // A runtime does not show results inside of a node.
    if (right_graph_.runner() != nullptr) return false;
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
    if (found->rounding) judged_.others.push_back(r);
    for (Cause& cause : found->causes) {
      Locate({nodes.left_result, r}, *left_.stream, *right_.stream, &cause);
      // A result from around that several nodes read is found in each of them.
      if (absl::c_any_of(report->causes, [&](const Cause& other) {
            return !cause.in_body.has_value() && other.left == cause.left &&
                   other.right == cause.right;
          })) {
        judged_.others.push_back(r);
        continue;
      }
      if (!cause.local.has_value()) {
        const Value& wanted = run.left().value_of(nodes.left_result);
        cause.local = TensorDifferenceOf(wanted, state.at(r).own, {}, options_.pool);
      }
      cause.judged = r;
      report->causes.push_back(std::move(cause));
      judged_.matched.push_back(r);
    }
    if (!found->causes.empty()) explained_inside_.insert(nodes.right);
    return found->rounding || !found->causes.empty();
  }

  const RecordedSide& left_;
  const RecordedSide& right_;
  const CauseOptions& options_;
  const Alignment& alignment_;
  JudgedResults judged_;
  absl::btree_set<std::pair<int, int>> looked_inside_;  // nodes of the left and of the right
  absl::btree_set<int> explained_inside_;               // nodes of the right with a cause inside
  std::vector<int> aligned_;
  std::optional<ResultStream> left_form_;  // the graphs' streams, if not the sides' own
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
