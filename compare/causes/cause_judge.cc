#include "compare/causes/cause_judge.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/attribute_differences.h"
#include "compare/causes/cause.h"
#include "compare/causes/cause_class.h"
#include "compare/causes/cause_refinement.h"
#include "compare/causes/cause_text.h"
#include "compare/causes/first_overflow.h"
#include "compare/causes/forced/coarse_numbers.h"
#include "compare/causes/iteration_search.h"
#include "compare/causes/kernel_rounding.h"
#include "compare/causes/shape_causes.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "record/differences/infinity.h"
#include "record/differences/tensor_difference.h"
#include "record/graphs/ahead_runner.h"
#include "record/operators/operator_traits.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// Rounding over all iterations of a loop hides many mistakes within one: from this ratio on,
// iterations are searched one by one.
constexpr double kRatioInside = 4;

// The evaluator that computes the values that a side ought to have; null if there is none.
const Evaluator* TruthOf(const RecordedSide& side) {
  const auto* const runner = dynamic_cast<const AheadRunner*>(side.side->node_runner());
  return runner == nullptr || runner->runs_model() ? side.evaluator() : nullptr;
}

}  // namespace

CauseJudge::CauseJudge(const ForcedRun& run, const ForcedState& state,
                       const PerSide<RecordedSide>& sides, const CauseOptions& options)
    : run_(run),
      state_(state),
      sides_(sides),
      options_(options),
      right_(run.right()),
      noise_(run, state),
      truth_(run, state, noise_, TruthOf(sides.left), sides.right.evaluator()) {}

CauseReport CauseJudge::Judge() {
  for (const int r : right_.results()) {
    const ForcedResult& result = state_.at(r);
    if (result.match == kNone || result.own.empty()) continue;
    if (!JudgeResult(r)) {
      reached_limit_ = true;
      break;
    }
  }
  DropLaterOverflows();
  bool all_matched = !NameShapes();
  for (const NodesWithBodies& nodes : UnmatchedNodes(run_, state_)) {
    if (LookInside(nodes, true)) all_matched = false;
  }
  const CauseWeigher weigher(run_, state_, sides_, options_, judged_);
  if (!options_.doubtful.empty()) weigher.WeighOnOutputs(all_matched, &report_);
  // A result without a match cannot be replaced.
  if (!options_.outputs_agree && all_matched) weigher.WeighEffects(&report_);
  SortByEffect(&report_.causes);
  PassOn();
  return std::move(report_);
}

// Hands the causes to the maker of repros.
void CauseJudge::PassOn() {
  if (!options_.on_found) return;
  const FoundCause found = {run_, state_, noise_, sides_.left.evaluator(),
                            *sides_.right.evaluator()};
  for (Cause& cause : report_.causes) {
    // Causes in a body were passed to on_found there, where more is known, but possibly without a
    // repro.
    if (cause.repro == nullptr) options_.on_found(found, &cause);
  }
}

// Overflows that are computed from another one are no causes.
void CauseJudge::DropLaterOverflows() {
  const std::vector<size_t> after = AfterAnother(overflows_, *sides_.right.stream);
  const Cause* const first = report_.causes.data();
  const auto review = [&](const Cause& cause) -> std::optional<Veto> {
    if (!absl::c_linear_search(after, static_cast<size_t>(&cause - first))) return std::nullopt;
    judged_.others.push_back(cause.judged);
    return Veto::kAfterOverflow;
  };
  Dismiss(review, &report_.causes, &report_.dismissed);
}

// Judges a matched right result whose local bits differ. False if it would exceed the limit of
// causes.
bool CauseJudge::JudgeResult(int r) {
  const ForcedResult& result = state_.at(r);
  RegionNoise::NoiseRatio noise_ratio = noise_.Judge(r);
  if (noise_ratio.distance > 0 && IsWrapped(run_, state_, noise_, r)) noise_ratio.ratio = kInfinity;
  const bool told_otherwise = noise_ratio.distance > 0 && AttributesExplain(run_, state_, r) &&
                              truth_.MayBeApartInDouble(r);
  const bool ours = right_.runner() == nullptr;
  if (!ours && RoundsToIntegers(r) && AreNextIntegers(result.held, result.own)) return true;
  // In double, which tells models apart, a runtime's kernel is not known.
  const bool scaled = !ours && noise_ratio.distance > 0 && IsScaled(result.held, result.own);
  if (noise_ratio.ratio <= kRatioInside && !told_otherwise && !scaled) {
    if (noise_ratio.distance > judged_.loudest_distance) {
      judged_.loudest_distance = noise_ratio.distance;
      judged_.loudest = {run_.left().representative(result.match), r};
    }
    return true;
  }
  const std::pair<int, bool> place = {PlaceOf(r), right_.IsConstant(r)};
  if (places_.contains(place)) return true;
  const bool beyond = noise_ratio.ratio > RegionNoise::kMaxRatio || told_otherwise || scaled ||
                      (noise_ratio.ratio > RegionNoise::kRatioInDouble && IsConfirmed(r) &&
                       truth_.IsApartInDouble(r));
  // Causes folded into another do not count against the limit.
  if (beyond && static_cast<int>(report_.causes.size()) >= options_.limits.causes) return false;
  if (beyond && !ours && !IsWrongAlone(r)) return true;
  if (beyond && (ReadsRestOfCause(r) || ReadsSaturated(run_, state_, noise_, r) ||
                 (ours && noise_.AgreesOnItsOwn(r)) ||
                 (options_.outputs_agree && IsAnotherMask(right_, r, result)))) {
    judged_.others.push_back(r);
    return true;
  }
  const std::optional<NodesWithBodies> nodes = NodesAfter(run_, state_, noise_, r);
  const bool explained_inside = nodes.has_value() && LookInside(*nodes, beyond);
  if (!explained_inside && !beyond) return true;
  places_.insert(place);
  if (!explained_inside) NameCause(r, noise_ratio);
  return true;
}

// True if the alignment or a repair confirms the match. Distance alone misleads in 16-bit types.
bool CauseJudge::IsConfirmed(int r) const {
  const int partner = run_.aligned(r);
  return state_.fixed.contains(r) ||
         (partner != kNone && run_.left().of(partner) == state_.at(r).match);
}

// True if a result with a cause is read of which only a part counts: the rest of it has the fault,
// too, and the left has nothing to put there.
bool CauseJudge::ReadsRestOfCause(int r) const {
  const int n = right_.producer(r);
  return n != kNone && absl::c_any_of(right_.Reads(n), [&](int read) {
           return right_.result(read).form.part != nullptr &&
                  absl::c_any_of(report_.causes,
                                 [&](const Cause& cause) { return cause.judged == read; });
         });
}

// Identifies the place of a result: one for all results of a node, and one for all its constants.
int CauseJudge::PlaceOf(int r) const {
  const int n = right_.IsConstant(r) && !right_.readers(r).empty() ? right_.readers(r).front()
                                                                   : right_.producer(r);
  return n == kNone ? -2 - r : n;
}

// True for results of nodes that compute integers from floats: quantized layers by their scales.
bool CauseJudge::RoundsToIntegers(int r) const {
  const int n = right_.producer(r);
  if (n == kNone || HasTrait(*right_.node(n).made, OperatorTrait::kCasts)) return false;
  return absl::c_any_of(right_.Reads(n),
                        [&](int read) { return IsFloatingPoint(right_.result(read).dtype); });
}

// False if the runtime gives what it should when the node runs alone: what its own run gave came
// of other nodes, too, or of values between that it did not show.
bool CauseJudge::IsWrongAlone(int r) const {
  const int n = right_.producer(r);
  if (n == kNone || right_.IsConstant(r)) return true;
  const absl::StatusOr<std::vector<Value>> outputs =
      right_.RunAsSide(n, [&](int read) -> const Value& { return state_.at(read).held; });
  if (!outputs.ok()) return true;
  const auto& made = right_.node(n).made->outputs;
  for (size_t i = 0; i < std::min(made.size(), outputs->size()); ++i) {
    if (made[i] != r || (*outputs)[i].empty()) continue;
    ForcedResult alone = state_.at(r);
    alone.own = (*outputs)[i];
    alone.own_content = ContentOf(alone.own, options_.pool);
    return alone.own_content != alone.held_content &&
           !(run_.DistanceOf(alone) < 0.1 * run_.DistanceOf(state_.at(r)));
  }
  return true;
}

// Names the cause of a result that rounding does not explain.
void CauseJudge::NameCause(int r, const RegionNoise::NoiseRatio& noise_ratio) {
  if (std::optional<Cause> spread = CauseOfSpreadShape(run_, state_, r)) {
    report_.causes.push_back(*std::move(spread));
    return;
  }
  const CauseClass found = ClassOf(run_, state_, noise_, r, noise_ratio, &truth_);
  if (found.of_params && options_.outputs_agree && !IsMistake(found.kind)) {
    judged_.others.push_back(r);
    return;
  }
  Cause cause;
  cause.kind = found.kind;
  cause.known_form = found.known_form;
  if (!found.operators.empty()) {
    const auto [it, added] = folded_.try_emplace(found.operators, report_.causes.size());
    if (!added) {
      ++report_.causes[it->second].count;
      judged_.others.push_back(r);
      return;
    }
  }
  std::optional<FirstOverflow> overflow;
  if (IsMistake(found.kind)) overflow = FindFirstUnderflow(run_, state_, r, &truth_);
  if (IsMistake(found.kind) && !overflow.has_value()) {
    overflow = FindFirstOverflow(run_, state_, noise_, r);
  }
  // One step of the least numbers is rounding, if it does not come of numbers that were lost.
  const ForcedResult& result = state_.at(r);
  if (!overflow.has_value() && !right_.IsConstant(r) && IsMeasurable(result.own) &&
      result.own.tensor().dtype() == DType::kFloat16 && IsMeasurable(result.held) &&
      AreLeastStepsApart(run_.MeasuredOwn(result), run_.MeasuredHeld(result))) {
    judged_.others.push_back(r);
    return;
  }
  // Several nodes read what one has lost.
  if (overflow.has_value() && absl::c_any_of(overflows_, [&](const auto& other) {
        return other.second == overflow->right;
      })) {
    judged_.others.push_back(r);
    return;
  }
  std::tie(cause.left, cause.right) = overflow.has_value()
                                          ? std::pair(overflow->left, overflow->right)
                                          : Refined(run_, state_, noise_, r);
  const bool moved = cause.right != r && right_.IsConstant(cause.right);
  if (moved) cause.kind = CauseKind::kInitializer;
  cause.local = moved && cause.left != kNone && !state_.at(cause.right).own.empty()
                    ? TensorDifferenceOf(run_.left().value_of(cause.left),
                                         state_.at(cause.right).own, {}, options_.pool)
                    : TensorDifferenceOf(state_.at(r).held, state_.at(r).own, {}, options_.pool);
  cause.judged = r;
  if (overflow.has_value()) {
    cause.text = overflow->text;
    cause.overflow = true;
    overflows_[report_.causes.size()] = overflow->right;
  } else {
    cause.text = CauseText(cause, run_, state_);
    truth_.Judge(r, &cause);
  }
  report_.causes.push_back(std::move(cause));
}

// Names outputs that have the left's elements in another shape, or another shape and no cause. True
// if these are the only causes: their outputs have no values beside the left's.
bool CauseJudge::NameShapes() {
  const bool unexplained = absl::c_none_of(report_.causes, IsWrong);
  for (Cause& cause : ShapeCauses(run_, state_, unexplained)) {
    const auto is_it = [&](const Cause& other) { return other.right == cause.right; };
    if (absl::c_none_of(report_.causes, is_it)) report_.causes.push_back(std::move(cause));
  }
  return unexplained && absl::c_any_of(report_.causes, IsWrong);
}

// True if the bodies of a matched result's node tell more about it: causes inside are named, or
// rounding adds up there. `beyond`: rounding does not explain the result, so notes tell which
// parts could not be searched.
bool CauseJudge::LookInside(const NodesWithBodies& nodes, bool beyond) {
  const int r = nodes.right_result;
  // A runtime does not show results inside of a node.
  if (right_.runner() != nullptr) return false;
  if (!looked_inside_.insert({nodes.left, nodes.right}).second) return false;
  absl::StatusOr<BodyFindings> found = SearchBodies(run_, state_, nodes, options_);
  if (!found.ok()) {
    if (beyond) {
      report_.notes.push_back(absl::StrCat(
          "'", right_.result(r).name, "' was looked at as one node: ", found.status().message()));
    }
    return false;
  }
  if (beyond || !found->causes.empty()) {
    report_.notes.insert(report_.notes.end(), found->notes.begin(), found->notes.end());
  }
  if (found->rounding) judged_.others.push_back(r);
  for (Cause& cause : found->causes) {
    Locate({nodes.left_result, r}, *sides_.left.stream, *sides_.right.stream, &cause);
    // A result from around that several nodes read is found in each of them.
    if (absl::c_any_of(report_.causes, [&](const Cause& other) {
          return !cause.in_body.has_value() && other.left == cause.left &&
                 other.right == cause.right;
        })) {
      judged_.others.push_back(r);
      continue;
    }
    if (!cause.local.has_value()) {
      const Value& wanted = run_.left().value_of(nodes.left_result);
      cause.local = TensorDifferenceOf(wanted, state_.at(r).own, {}, options_.pool);
    }
    cause.judged = r;
    report_.causes.push_back(std::move(cause));
  }
  if (!found->causes.empty()) explained_inside_.insert(nodes.right);
  return found->rounding || !found->causes.empty();
}

}  // namespace onnxcmp
