#include "compare/causes/recorded/recorded_causes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/cause_text.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "compare/causes/forced/shaken_value.h"
#include "compare/causes/recorded/fed_otherwise.h"
#include "compare/causes/recorded/local_noise.h"
#include "compare/causes/recorded/nodes_between.h"
#include "compare/causes/searched_values.h"
#include "compare/inside/derived_values.h"
#include "compare/inside/swallowed_steps.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/thresholds.h"
#include "record/differences/infinity.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"
#include "record/differences/value_relation.h"
#include "record/graphs/region.h"
#include "record/graphs/replay.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/common_form.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

constexpr uint64_t kSeeds = 2;

Shape SqueezedShape(const Shape& shape) {
  Shape rest;
  absl::c_copy_if(shape, std::back_inserter(rest), [](int64_t size) { return size != 1; });
  return rest;
}

// One pair while the model runs on recorded values.
struct Judged {
  const RecordedPair* pair = nullptr;
  int model = kNone;  // results of the two sides
  int recording = kNone;
  Value recorded;  // as it was recorded
  Value given;     // the value that the model goes on with; empty if it has another shape
  Value own;       // the model's result on recorded values; only of pairs that may be causes
  std::optional<TensorDifference> local;
  double noise = 0;
};

// One of the model's results and what was recorded of it, which may be several: a module's last
// layer gives what the module gives.
struct Place {
  std::vector<size_t> judged;
  size_t given = 0;  // the one of these that the model goes on with
};

class RecordedCauseFinder {
 public:
  RecordedCauseFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                      const CauseOptions& options)
      : sides_(sides),
        alignment_(alignment),
        options_(options),
        recording_id_(sides.left.stream->recorded ? SideId::kLeft : SideId::kRight),
        model_(sides[Other(recording_id_)]),
        recording_(sides[recording_id_]),
        graph_(*model_.stream, model_.evaluator()),
        leaves_(LeavesOf(graph_, *model_.side->feeds())),
        layers_(*model_.stream) {}

  absl::StatusOr<CauseReport> Find(absl::Span<const RecordedPair> pairs) {
    CauseReport report;
    OC_RETURN_IF_ERROR(Prepare(pairs));
    std::vector<Judged*> suspects = FindSuspects();
    if (suspects.empty()) return report;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) RunOnRecorded(seed);
    for (Judged* const judged : suspects) {
      if (IsRounding(*judged)) continue;
      if (static_cast<int>(report.causes.size()) >= options_.limits.causes) break;
      report.causes.push_back(CauseOf(*judged));
      // Results after it are wrong by that, too, and may have other partners.
      if (report.causes.size() == 1 && IsFedOtherwise(*judged, &report.causes.front())) break;
    }
    if (options_.on_found) AddRepros(&report.causes);
    return report;
  }

 private:
  // Judges the results that were recorded and gives their readers the recorded values. Of a replay
  // that fails on these, the results before the failure count. `seed` 0: nothing is moved.
  void RunOnRecorded(uint64_t seed) {
    ReplayWhole(graph_, leaves_, [&](int r, const Value& own) { return See(r, own, seed); });
  }

  // Where several results that were recorded of one differ, what comes after them tells which of
  // them went on: with that the fewest differ by themselves.
  std::vector<Judged*> FindSuspects() {
    std::vector<Judged*> suspects = RunWith(/*different=*/true);
    const bool any_mixed = absl::c_any_of(places_, [&](const auto& place) {
      return GivenOf(place.second, true) != GivenOf(place.second, false);
    });
    if (!any_mixed || suspects.empty()) return suspects;
    const size_t count = suspects.size();
    suspects = RunWith(/*different=*/false);
    return suspects.size() < count ? suspects : RunWith(/*different=*/true);
  }

  std::vector<Judged*> RunWith(bool different) {
    for (auto& [name, place] : places_) place.given = GivenOf(place, different);
    for (Judged& judged : judged_) {
      judged.own = Value();
      judged.local.reset();
    }
    FindLost();
    RunOnRecorded(0);
    return Suspects();
  }

  // The last recording of one result that differs, or the first that does not.
  size_t GivenOf(const Place& place, bool different) const {
    std::optional<size_t> chosen;
    for (const size_t i : place.judged) {
      if (judged_[i].given.empty()) continue;
      const bool wanted = judged_[i].pair->different == different;
      if (!chosen.has_value() || (wanted && (different || judged_[*chosen].pair->different))) {
        chosen = i;
      }
    }
    return chosen.value_or(place.judged.front());
  }

  // An output of the model is the result that it shows.
  int ModelResult(const RecordedPair& pair) const {
    const int r = OfSide(pair, Other(recording_id_));
    const StreamResult& result = graph_.result(r);
    return result.kind == ResultKind::kOutput && result.source != kNone ? result.source : r;
  }
  int RecordedResult(const RecordedPair& pair) const { return OfSide(pair, recording_id_); }

  absl::Status Prepare(absl::Span<const RecordedPair> pairs) {
    std::vector<bool> wanted(recording_.stream->results.size());
    for (const RecordedPair& pair : pairs) {
      const int r = ModelResult(pair);
      const StreamResult& result = graph_.result(r);
      if (result.depth > 0 || result.kind == ResultKind::kOutput) continue;
      // Elements of blocks stand elsewhere, unless what was recorded is shown like that.
      if (IsBlocked(result, graph_.stream()) &&
          recording_.result(RecordedResult(pair)).recorded_as.empty()) {
        continue;
      }
      Place& place = places_[result.name];
      // The first of several results that share a name is meant.
      if (!place.judged.empty() && judged_[place.judged.front()].model != r) continue;
      place.judged.push_back(judged_.size());
      judged_.push_back({&pair, r, RecordedResult(pair), {}, {}, {}, {}, 0});
      wanted[Index(RecordedResult(pair))] = true;
    }
    absl::flat_hash_map<int, std::vector<Judged*>> of_recorded;
    for (Judged& judged : judged_) of_recorded[judged.recording].push_back(&judged);
    OC_RETURN_IF_ERROR(VisitAgain(recording_, absl::StrCat(SideName(recording_id_), " again"),
                                  options_.watch, wanted, [&](int r, const Value& value) {
                                    for (Judged* const judged : of_recorded[r]) {
                                      judged->recorded = value;
                                    }
                                    return absl::OkStatus();
                                  }));
    for (Judged& judged : judged_) {
      epsilon_ = std::max(epsilon_, EpsilonOf(recording_.result(judged.recording).own_precision));
      Convert(&judged);
    }
    for (const int r : graph_.results()) {
      if (graph_.IsComputed(r)) epsilon_ = std::max(epsilon_, EpsilonOf(graph_.result(r).dtype));
    }
    return absl::OkStatus();
  }

  // A value recorded in another shape cannot replace the model's. Constants stay the model's own
  // unless they differ in numbers alone: their readers are not at fault then.
  void Convert(Judged* judged) const {
    const StreamResult& result = graph_.result(judged->model);
    if (!result.shape.has_value() || !judged->recorded.is_tensor()) return;
    const Tensor& recorded = judged->recorded.tensor();
    if (graph_.IsConstant(judged->model)) {
      const bool in_numbers = judged->pair->different && recorded.dtype() == result.dtype &&
                              recorded.shape() == *result.shape;
      if (in_numbers) judged->given = judged->recorded;
      return;
    }
    // Rows that lie in other axes are the same rows, as runtimes flatten them for products.
    const bool same_rows = recorded.rank() > 0 && !result.shape->empty() &&
                           recorded.shape().back() == result.shape->back() &&
                           recorded.num_elements() == result.fingerprint.size;
    const bool squeezed = SqueezedShape(recorded.shape()) == SqueezedShape(*result.shape);
    const bool as_it_is = recorded.shape() == *result.shape;
    if (!as_it_is && !same_rows && !squeezed) return;
    if (recorded.dtype() == result.dtype && as_it_is) {
      judged->given = judged->recorded;
      return;
    }
    absl::StatusOr<Value> converted = ConvertedTo(judged->recorded, result.dtype, *result.shape);
    if (!converted.ok()) return;
    judged->given = *std::move(converted);
    if (!as_it_is) judged->recorded = judged->given;
  }

  // Results that depend on one recorded in another shape are computed from wrong values.
  void FindLost() {
    lost_.assign(graph_.stream().results.size(), false);
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      const bool reads_lost = absl::c_any_of(graph_.Reads(static_cast<int>(n)), [&](int read) {
        return lost_[Index(read)] || IsStray(read);
      });
      if (!reads_lost) continue;
      for (const int output : graph_.nodes()[n].made->outputs) {
        if (output != kNone) lost_[Index(output)] = true;
      }
    }
  }
  bool IsStray(int r) const {
    const Judged* const judged = Find(r);
    if (judged == nullptr) return false;
    return judged->pair->different && judged->given.empty() && !graph_.IsConstant(r);
  }
  const Judged* Find(int r) const {
    const auto it = places_.find(graph_.result(r).name);
    if (it == places_.end()) return nullptr;
    const Judged& judged = judged_[it->second.given];
    return judged.model == r ? &judged : nullptr;
  }
  // True if an input of the result's node was not replaced by its recorded value and depends on
  // wrong values.
  bool IsLost(int r) const {
    return absl::c_any_of(graph_.Before(r), [&](int read) {
      const Judged* const judged = Find(read);
      return (judged == nullptr || judged->given.empty()) && (lost_[Index(read)] || IsStray(read));
    });
  }

  Value See(int r, const Value& own, uint64_t seed) {
    const std::string& name = graph_.result(r).name;
    const auto it = places_.find(name);
    if (it == places_.end()) {
      const bool moves = seed > 0 && graph_.producer(r) != kNone;
      return moves ? Shake(own, epsilon_, SeedOf(seed, name)) : own;
    }
    for (const size_t i : it->second.judged) {
      Judged& judged = judged_[i];
      if (seed == 0) {
        Judge(own, &judged);
      } else if (!judged.own.empty()) {
        judged.noise = std::max(judged.noise, RootMeanSquare(judged.own, own));
      }
    }
    const Value& given = judged_[it->second.given].given;
    if (given.empty()) return own;
    const bool moves = seed > 0 && !graph_.IsConstant(judged_[it->second.given].model);
    return moves ? Shake(given, epsilon_, SeedOf(seed, name)) : given;
  }
  static uint64_t SeedOf(uint64_t seed, absl::string_view name) {
    uint64_t hash = seed;
    for (const char c : name) hash = HashOf(hash, static_cast<unsigned char>(c));
    return hash;
  }

  TensorDifference DifferenceOf(const Judged& judged, const Value& own) const {
    DifferenceOptions options;
    options.tolerance = judged.pair->tolerances;
    options.parts = true;
    const bool left = recording_id_ == SideId::kLeft;
    return TensorDifferenceOf(left ? judged.recorded : own, left ? own : judged.recorded, options,
                              options_.pool);
  }

  void Judge(const Value& own, Judged* judged) {
    if (!judged->pair->different || IsLost(judged->model)) return;
    TensorDifference difference = DifferenceOf(*judged, own);
    if (difference.values.agree()) return;
    judged->own = own;
    judged->local = std::move(difference);
  }

  std::vector<Judged*> Suspects() {
    std::vector<Judged*> suspects;
    for (Judged& judged : judged_) {
      if (judged.local.has_value() && !IsRepeated(judged)) suspects.push_back(&judged);
    }
    absl::c_stable_sort(suspects,
                        [](const Judged* a, const Judged* b) { return a->model < b->model; });
    return suspects;
  }

  // True if an earlier suspect says the same of the same result.
  bool IsRepeated(const Judged& judged) const {
    for (const size_t i : places_.at(graph_.result(judged.model).name).judged) {
      const Judged& other = judged_[i];
      if (&other == &judged) return false;
      if (other.local.has_value() && recording_.result(other.recording).fingerprint.content ==
                                         recording_.result(judged.recording).fingerprint.content) {
        return true;
      }
    }
    return false;
  }

  bool IsRounding(const Judged& judged) const {
    if (!judged.local->values.reason.empty() || judged.local->non_finite_disagree > 0 ||
        !graph_.IsComputed(judged.model)) {
      return false;
    }
    // It is what the layer gives before a normalization that is folded into it.
    if (layers_.MayFold(judged.model) && judged.given.is_tensor() && judged.own.is_tensor() &&
        IsBeforeNewNormalization(judged.given.tensor(), judged.own.tensor())) {
      return true;
    }
    // Integers move parts of small numbers by more than these are.
    if (IsInteger(recording_.result(judged.recording).own_precision) &&
        judged.local->values.beyond == 0 && !judged.local->values.fault.empty()) {
      return true;
    }
    return RootMeanSquare(judged.own, judged.given) <=
               thresholds::kMostRoundingGrowth * judged.noise &&
           !IsScaledOrShifted(judged.own, judged.given, epsilon_);
  }

  Cause CauseOf(const Judged& judged) const {
    Cause cause;
    cause.left = judged.pair->left;
    cause.right = judged.pair->right;
    cause.judged = judged.pair->right;
    cause.kind = graph_.IsComputed(judged.model)   ? CauseKind::kOperator
                 : graph_.IsConstant(judged.model) ? CauseKind::kInitializer
                                                   : CauseKind::kInput;
    cause.local = judged.local;
    cause.text = TextOf(judged, cause);
    return cause;
  }

  std::string TextOf(const Judged& judged, const Cause& cause) const {
    const double most = cause.local->values.max_absolute;
    const bool is_whole = IsInteger(graph_.result(judged.model).dtype) && most == std::floor(most);
    const std::string distance = is_whole ? absl::StrFormat("%.0f", most) : TwoDigits(most);
    const std::string relation = Relation(judged);
    const std::string how = relation.empty() ? "" : absl::StrCat(": ", relation);
    if (cause.kind == CauseKind::kInput) {
      return absl::StrCat("the two sides are fed other values, by up to ", distance, how);
    }
    if (cause.kind == CauseKind::kInitializer) {
      return ConstantsText(cause, distance, relation);
    }
    const std::string on = absl::StrCat("on the ", SideName(recording_id_), "'s own inputs ");
    const std::string who = absl::StrCat(on, "the ", SideName(Other(recording_id_)));
    std::string text = !cause.local->values.reason.empty()
                           ? absl::StrCat(who, " gives another ", cause.local->values.reason)
                       : std::isfinite(cause.local->values.max_absolute)
                           ? absl::StrCat(who, " differs by up to ", distance, how)
                           : absl::StrCat(on, "at ", cause.local->values.max_absolute_at, ": ",
                                          cause.local->values.max_absolute_pair);
    const std::string between = NodesOf(graph_, RegionBetween(judged.model));
    if (!between.empty()) absl::StrAppend(&text, "; computed by ", between);
    return text;
  }

  // The relation of the recorded value to the model's, in few words.
  std::string Relation(const Judged& judged) const {
    const StreamResult& recorded = recording_.result(judged.recording);
    if (recorded.fingerprint.rich) {
      for (const int r : graph_.results()) {
        const StreamResult& other = graph_.result(r);
        if (r == judged.model || other.fingerprint.content != recorded.fingerprint.content)
          continue;
        return absl::StrCat("the ", SideName(recording_id_), "'s value is the ",
                            SideName(Other(recording_id_)), "'s '", other.name, "'");
      }
    }
    const Value& given = judged.given.empty() ? judged.recorded : judged.given;
    if (!IsMeasurable(given) || !IsMeasurable(judged.own)) return "";
    return recording_id_ == SideId::kLeft ? RelationText(given.tensor(), judged.own.tensor())
                                          : RelationText(judged.own.tensor(), given.tensor());
  }

  // The nodes since what was recorded before; a result is passed through.
  Region RegionBetween(int r, int through = kNone) const {
    return RegionOf(graph_, r, [&](int read) {
      const Judged* const judged = read == through ? nullptr : Find(read);
      return graph_.IsConstant(read) || (judged != nullptr && !judged->given.empty());
    });
  }

  // True if other inputs explain it; an activation after the layer may have been recorded with it.
  bool IsFedOtherwise(const Judged& judged, Cause* cause) const {
    std::vector<int> places = {judged.model};
    for (const int n : graph_.readers(judged.model)) {
      const int after = graph_.node(n).made->outputs.front();
      if (after != kNone) places.push_back(after);
    }
    const auto agrees = [&](const Value& own) { return DifferenceOf(judged, own).values.agree(); };
    for (const int place : places) {
      const std::string how = FedOtherwise(graph_, RegionBetween(place, judged.model), place,
                                           leaves_, judged.recorded, agrees);
      if (how.empty()) continue;
      cause->text = absl::StrCat("this is what the model gives for ", how);
      return true;
    }
    return false;
  }

  // Regions as models of their own, where the recording stands for the left.
  void AddRepros(std::vector<Cause>* causes) {
    if (recording_id_ != SideId::kLeft || causes->empty()) {
      for (Cause& cause : *causes) {
        cause.no_repro = "a region is cut out of a model on the right: give the recording first";
      }
      return;
    }
    const SideGraph left(*sides_.left.stream, nullptr);
    absl::StatusOr<std::vector<Value>> values = AllValues(sides_.left, left, options_.watch);
    if (!values.ok()) return;
    const ValueClasses classes(left, *std::move(values), options_.pool);
    const std::vector<int> aligned = PartnersInOrder(alignment_, SideId::kRight);
    const ForcedRun run(classes, graph_, aligned, leaves_);
    FixedMatches fixed;
    for (const Judged& judged : judged_) {
      if (judged.given.empty() || !graph_.IsComputed(judged.model) ||
          IsOutput(judged.pair->right)) {
        continue;
      }
      fixed[judged.model] = classes.of(judged.recording);
    }
    const ForcedState state = run.Run(fixed);
    const RegionNoise noise(run, state);
    const FoundCause found = {run, state, noise, nullptr, *sides_.right.evaluator()};
    for (Cause& cause : *causes) {
      if (IsOutput(cause.right)) {
        cause.no_repro = "only outputs were recorded: the region would be nearly the whole model";
      } else {
        options_.on_found(found, &cause);
      }
    }
  }

  bool IsOutput(int r) const { return graph_.result(r).kind == ResultKind::kOutput; }

  const PerSide<RecordedSide>& sides_;
  const Alignment& alignment_;
  const CauseOptions& options_;
  const SideId recording_id_;
  const RecordedSide& model_;
  const RecordedSide& recording_;
  const SideGraph graph_;
  const std::vector<Value> leaves_;  // by the model's result
  const LayersOfModel layers_;
  std::vector<Judged> judged_;
  absl::flat_hash_map<absl::string_view, Place> places_;  // by the model's result
  std::vector<bool> lost_;                                // by the model's result
  double epsilon_ = 0;                                    // the coarsest type's on either side
};

}  // namespace

bool IsModelBesideRecording(const PerSide<RecordedSide>& sides) {
  return (sides.left.stream->recorded && sides.right.evaluator() != nullptr) ||
         (sides.right.stream->recorded && sides.left.evaluator() != nullptr);
}

absl::StatusOr<CauseReport> FindRecordedCauses(const PerSide<RecordedSide>& sides,
                                               const Alignment& alignment,
                                               absl::Span<const RecordedPair> pairs,
                                               const CauseOptions& options) {
  if (absl::c_none_of(pairs, [](const RecordedPair& pair) { return pair.different; })) {
    return CauseReport();
  }
  return RecordedCauseFinder(sides, alignment, options).Find(pairs);
}

}  // namespace onnxcmp
