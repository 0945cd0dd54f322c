#include "compare/recorded/frame.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/alignment/weights.h"
#include "compare/inside/derived_values.h"
#include "compare/inside/swallowed_steps.h"
#include "compare/recorded/frame_candidates.h"
#include "compare/recorded/frame_state.h"
#include "compare/recorded/likeness.h"
#include "compare/recorded/misplaced_results.h"
#include "compare/recorded/sequence.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/replay.h"
#include "record/graphs/side_graph.h"
#include "record/streams/common_form.h"
#include "record/streams/downstream.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostSteps = int64_t{1} << 28;  // elements that are looked at for steps
// A pair that only its place speaks for counts as so much in common.
constexpr double kMisplaced = 0.2;

class FrameFinder {
 public:
  FrameFinder(const RecordingView& view, PairingRuns& runs)
      : view_(view),
        runs_(runs),
        side_(view.side()),
        own_(view.own()),
        graph_(view.graph()),
        layers_(view.layers()),
        leaves_(LeavesOf(graph_, *view.other().side->feeds())) {}

  absl::StatusOr<std::vector<Claim>> Find() {
    Sort();
    if (open_.empty() || open_.size() > work_bounds::kLooks) return std::vector<Claim>();
    sequence_.emplace(graph_.stream(), settled_);
    OC_RETURN_IF_ERROR(Load());
    while (runs_.HasRuns() &&
           absl::c_any_of(open_, [](const OpenResult& open) { return !open.over(); })) {
      const FrameOfRun frame = Run(nullptr);
      if (Settle(frame)) continue;
      if (!TakeBest(frame)) break;
    }
    AddPairs();
    return std::move(claims_);
  }

 private:
  bool Counts(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    return result.kind != ResultKind::kInput && result.kind != ResultKind::kInitializer &&
           (result.kind != ResultKind::kOutput || result.source == kNone) &&
           result.fingerprint.kind == ElementKind::kFloat && result.fingerprint.size > kHandful &&
           result.shape.has_value() && !view_.IsBeside(r);
  }

  // True if a pair stands, however far apart its values are.
  bool Stands(int r) const {
    const int m = view_.partner(r);
    if (view_.Stays(r)) return true;
    const StreamResult& result = own_.results[Index(r)];
    // A result that stands at the place of an output is the output, however wrong: nothing comes
    // after it.
    return FullName(result) == FullName(graph_.result(m)) ||
           absl::c_any_of(graph_.outputs(), [&](const auto& output) {
             return output.second == m && (IsPairedBy(Mark::kPlaced, r) ||
                                           graph_.result(output.first).name == result.name);
           });
  }
  bool IsPairedBy(Mark mark, int r) const {
    return view_.RowOf(r) != nullptr && Has(view_.RowOf(r)->marks, mark);
  }

  // Sorts the results into those that certainly have a partner, and the rest.
  void Sort() {
    absl::flat_hash_map<Hash128, size_t> by_content;
    absl::flat_hash_map<Hash128, int> of_content;
    std::vector<int> rest;
    std::vector<std::pair<int, int>> unnamed;  // near ones, by their values alone
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      if (!Counts(r)) continue;
      const int m = view_.partner(r);
      const bool near = m != kNone && AreNear(own_.results[i], graph_.result(m));
      if (!near && (m == kNone || !Stands(r))) {
        rest.push_back(r);
        continue;
      }
      if (near && !Stands(r)) unnamed.emplace_back(r, m);
      of_content.try_emplace(own_.results[i].fingerprint.content, m);
      // If several were recorded of one result, the last wrong one went on.
      if (!near || !settled_.contains(m)) settled_[m] = r;
    }
    for (const int r : rest) {
      const Hash128& content = own_.results[Index(r)].fingerprint.content;
      const auto [it, added] = by_content.try_emplace(content, open_.size());
      if (added) {
        OpenResult& open = open_.emplace_back();
        // A result that repeats one with a partner has the same partner.
        if (const auto known = of_content.find(content); known != of_content.end()) {
          open.found = known->second;
        }
      }
      OpenResult& open = open_[it->second];
      open.results.push_back(r);
      if (IsPairedBy(Mark::kNamed, r) && open.named == kNone) open.named = view_.partner(r);
    }
    if (!rest.empty()) OpenMisplaced(unnamed, rest.front());
  }

  // Opens results that may have another one's value, as there is a fault.
  void OpenMisplaced(const std::vector<std::pair<int, int>>& near, int first_open) {
    for (auto& [r, places] : MisplacedResults(own_, graph_.stream(), near, settled_, first_open)) {
      OpenResult& open = open_.emplace_back();
      open.results = {r};
      open.places = std::move(places);
      const int m = view_.partner(r);
      if (settled_[m] != r) continue;
      settled_.erase(m);
      for (const auto& [other, of] : near) {
        if (of == m && other != r) settled_.try_emplace(m, other);
      }
    }
  }

  absl::Status Load() {
    PerSide<std::vector<int>> wanted;
    for (const OpenResult& open : open_) wanted[side_].push_back(open.results.front());
    for (const auto& [m, r] : settled_) wanted[side_].push_back(r);
    OC_ASSIGN_OR_RETURN(PerSide<ValuesOfResults> values, runs_.Values(wanted));
    ValuesOfResults& recorded = values[side_];
    for (OpenResult& open : open_) open.value = recorded[open.results.front()];
    for (const auto& [m, r] : settled_) given_[m] = recorded[r];
    for (auto& [m, value] : given_) value = AsModelHas(m, value);
    for (OpenResult& open : open_) {
      if (!open.value.is_tensor()) {
        open.derived = true;
        continue;
      }
      open.sample = LikenessSampleOf(open.value.tensor(), Recorded(open).fingerprint);
    }
    return absl::OkStatus();
  }

  const StreamResult& Recorded(const OpenResult& open) const {
    return own_.results[Index(open.results.front())];
  }

  // A recorded value in the type and the shape that the model's result has; empty if it cannot be.
  Value AsModelHas(int m, const Value& value) const {
    const StreamResult& result = graph_.result(m);
    if (!value.is_tensor() || !result.shape.has_value()) return Value();
    absl::StatusOr<Value> converted = ConvertedTo(value, result.dtype, *result.shape);
    return converted.ok() ? *std::move(converted) : Value();
  }

  // Looks at the model's results, and gives on what was recorded of them.
  class FrameReplay : public WholeReplay {
   public:
    FrameReplay(FrameFinder* finder, const FrameCandidate* trial, FrameOfRun* frame)
        : WholeReplay(finder->graph_, finder->leaves_),
          finder_(*finder),
          trial_(trial),
          frame_(*frame) {}

   private:
    Value See(int m, const Value& own) override {
      if (!graph().IsComputed(m)) return own;
      if (own.is_tensor() && IsFloat(own.tensor().dtype())) finder_.Look(m, own, trial_, &frame_);
      Value given = finder_.GivenFor(m, trial_);
      return given.empty() ? own : given;
    }

    FrameFinder& finder_;
    const FrameCandidate* trial_;
    FrameOfRun& frame_;
  };

  FrameOfRun Run(const FrameCandidate* trial) {
    FrameOfRun frame;
    frame.near.resize(open_.size());
    FrameReplay replay(this, trial, &frame);
    runs_.Replay(replay);
    return frame;
  }

  // The value recorded of a result of the model; empty if none was.
  Value GivenFor(int m, const FrameCandidate* trial) const {
    Value given;
    for (size_t i = 0; i < open_.size(); ++i) {
      const OpenResult& open = open_[i];
      const bool is_trial = trial != nullptr && trial->open == i && trial->result == m;
      const bool is_named = open.named == m && !open.over();
      if (is_trial || open.found == m || (is_named && given.empty())) {
        given = AsModelHas(m, open.value);
      }
      if (is_trial || (open.found == m && open.tried)) break;
    }
    if (!given.empty()) return given;
    const auto it = given_.find(m);
    return it == given_.end() ? Value() : it->second;
  }

  static bool IsFloat(DType dtype) { return EpsilonOf(dtype) > 0; }

  // Adds the open results that are near the model's value, or have something in common with it.
  void Look(int m, const Value& own, const FrameCandidate* trial, FrameOfRun* frame) {
    const StreamResult& result = graph_.result(m);
    std::optional<LikenessSample> sample;
    for (size_t i = 0; i < open_.size(); ++i) {
      const OpenResult& open = open_[i];
      const StreamResult& recorded = Recorded(open);
      if (open.over() || recorded.fingerprint.size != own.tensor().num_elements()) continue;
      if (!open.places.empty()) {
        const bool may_be = trial == nullptr && absl::c_linear_search(open.places, m);
        if (may_be) frame->candidates.push_back({i, m, kMisplaced});
        continue;
      }
      if (!sample.has_value()) sample = LikenessSampleOf(own.tensor(), FingerprintOf(own));
      const double distance = SketchDistance(recorded.fingerprint, sample->fingerprint);
      if (distance <= ReachOf(recorded, result) && Tells(recorded.fingerprint)) {
        frame->near[i].push_back({m, distance});
      }
      // Elements of blocks stand elsewhere: nothing can be seen to be in common.
      const bool alike = trial == nullptr && !IsBlocked(result, graph_.stream()) &&
                         HaveSameRows(*recorded.shape, own.tensor().shape());
      if (!alike) continue;
      const bool past = sequence_->IsPast(m, open.results.front());
      const double likeness = past ? 0 : LikenessOf(open.sample, *sample);
      if (likeness > 0) frame->candidates.push_back({i, m, likeness});
      // Cutting can make much from a mask, so that steps would prove nothing.
      if (recorded.fingerprint.rich && recorded.fingerprint.finite && sample->fingerprint.rich &&
          sample->fingerprint.finite) {
        LookForSteps(i, m, own, frame);
      }
    }
  }

  // True if the values tell anything: all zeros do not, all NaN do.
  static bool Tells(const Fingerprint& fingerprint) {
    return fingerprint.rich || !fingerprint.finite;
  }

  void LookForSteps(size_t i, int m, const Value& own, FrameOfRun* frame) {
    const OpenResult& open = open_[i];
    if (open.value.tensor().shape() != own.tensor().shape()) return;
    steps_left_ -= own.tensor().num_elements();
    if (steps_left_ < 0) return;
    const bool vouched = given_.contains(m) || absl::c_any_of(open_, [&](const OpenResult& other) {
                           return &other != &open && other.found == m;
                         });
    const SwallowedSteps may = {.normalization = layers_.MayFold(m),
                                .with_offsets = !vouched,
                                .activation = layers_.MayActivate(m)};
    const double noise = NoiseOfDerived(Recorded(open), graph_.result(m));
    std::string how;
    if (may.normalization || may.activation) {
      how = HowDerived(open.value.tensor(), own.tensor(), noise, may);
    }
    if (how.empty()) {
      how = HowInside(open.value.tensor(), own.tensor(), layers_.OperatorsOn(m), noise);
    }
    if (how.empty() || (!vouched && !IsFollowed(m))) return;
    frame->steps.push_back({i, m, std::move(how)});
  }

  // True if a value recorded after a result is what the model computes from it.
  bool IsFollowed(int m) const {
    const std::vector<bool> behind = Behind({m}, graph_.stream());
    const auto is_behind = [&](int other) { return behind[Index(other)]; };
    return absl::c_any_of(settled_, [&](const auto& pair) { return is_behind(pair.first); }) ||
           absl::c_any_of(open_, [&](const OpenResult& open) {
             return open.found != kNone && is_behind(open.found);
           });
  }

  // Takes what is near in a frame. False if nothing is.
  bool Settle(const FrameOfRun& frame) {
    bool any = false;
    int before = kNone;
    absl::flat_hash_set<int> taken;
    for (size_t i = 0; i < open_.size(); ++i) {
      OpenResult& open = open_[i];
      const std::vector<NearResult> near =
          open.over() ? std::vector<NearResult>() : NearOf(frame, i);
      if (!near.empty()) {
        open.found = Nearest(near, open, before, taken);
        any = true;
      }
      if (open.found == kNone) continue;
      before = open.found;
      taken.insert(open.found);
    }
    for (const StepInFrame& step : frame.steps) {
      OpenResult& open = open_[step.open];
      if (open.over()) continue;
      open.derived = true;
      any = true;
      for (const int r : open.results) {
        claims_.push_back(ClaimOf(Rule::kFrameSteps, side_, r, step.of));
        claims_.back().how = step.how;
      }
    }
    return any;
  }

  // A result that goes on under its name is near all that passes it on, which is left out.
  std::vector<NearResult> NearOf(const FrameOfRun& frame, size_t i) const {
    std::vector<NearResult> near = frame.near[i];
    const int named = open_[i].named;
    if (named == kNone || near.empty() || !HasSizeOf(open_[i], named)) return near;
    const std::vector<bool> behind = Behind({named}, graph_.stream());
    std::erase_if(near, [&](const NearResult& one) { return behind[Index(one.result)]; });
    return near;
  }

  bool HasShapeOf(const OpenResult& open, int m) const {
    return Recorded(open).shape == graph_.result(m).shape;
  }
  bool HasSizeOf(const OpenResult& open, int m) const {
    return Recorded(open).fingerprint.size == graph_.result(m).fingerprint.size;
  }

  // Among those about as near: the result of its name, else one of its shape, else the next free
  // one.
  int Nearest(const std::vector<NearResult>& near, const OpenResult& open, int before,
              const absl::flat_hash_set<int>& taken) const {
    double least = std::numeric_limits<double>::infinity();
    for (const NearResult& one : near) least = std::min(least, one.distance);
    int best = kNone;
    const auto rank = [&](int m) {
      return std::tuple(m == open.named, HasShapeOf(open, m), !taken.contains(m), m > before);
    };
    for (const NearResult& one : near) {
      if (one.distance > weights::kAsNear * least + weights::kMovedFrom) continue;
      if (best == kNone || rank(one.result) > rank(best)) best = one.result;
    }
    return best;
  }

  // The pair after which most others are near. False if there is none.
  bool TakeBest(const FrameOfRun& frame) {
    const std::vector<FrameCandidate> candidates = Promising(frame.candidates);
    const auto left = static_cast<size_t>(
        absl::c_count_if(open_, [](const OpenResult& open) { return !open.over(); }));
    const FrameCandidate* best = nullptr;
    size_t most = 0;
    for (const FrameCandidate& candidate : candidates) {
      if (!runs_.HasRuns()) break;
      const FrameOfRun trial = Run(&candidate);
      size_t count = 0;
      for (size_t i = 0; i < open_.size(); ++i) {
        if (i != candidate.open && !NearOf(trial, i).empty()) ++count;
      }
      if ((count == 0 || IsRightBehind(candidate.result)) && !MayStandAlone(candidate)) continue;
      const auto rank = [&](const FrameCandidate& one) {
        return std::pair(HasShapeOf(open_[one.open], one.result), one.likeness);
      };
      if (best != nullptr && (count < most || (count == most && rank(candidate) <= rank(*best)))) {
        continue;
      }
      best = &candidate;
      most = count;
      if (count + 1 >= left && HasShapeOf(open_[candidate.open], candidate.result)) break;
    }
    if (best == nullptr) return false;
    open_[best->open].found = best->result;
    open_[best->open].tried = true;
    return true;
  }

  // True if something near what was recorded is computed from a result: a wrong value would have
  // gone on.
  bool IsRightBehind(int m) const {
    const std::vector<bool> behind = Behind({m}, graph_.stream());
    return absl::c_any_of(settled_, [&](const auto& pair) {
      return behind[Index(pair.first)] &&
             AreNear(own_.results[Index(pair.second)], graph_.result(pair.first)) &&
             Tells(own_.results[Index(pair.second)].fingerprint);
    });
  }

  // A pair that nothing speaks for but what the two have in common. What was recorded before a
  // result that is the model's is a step on the way to it; after it, a module that gives it on.
  bool MayStandAlone(const FrameCandidate& candidate) const {
    // A result with a name goes on as that already.
    if (candidate.likeness < kHalfAlike || open_[candidate.open].named != kNone) {
      return false;
    }
    const auto settled = settled_.find(candidate.result);
    if (settled == settled_.end()) return true;
    return settled->second < open_[candidate.open].results.front();
  }

  // A result of the model that another claim gives a row is shared by those that were found.
  void AddPairs() {
    for (const OpenResult& open : open_) {
      if (open.found == kNone) continue;
      for (const int r : open.results) {
        // A result that has its row already needs no claim.
        if (view_.settled().partners(Other(side_))[Index(open.found)] == r) continue;
        claims_.push_back(ClaimOf(Rule::kFrame, side_, r, open.found));
        claims_.back().shares = true;
      }
    }
  }

  const RecordingView& view_;
  PairingRuns& runs_;
  const SideId side_;
  const ResultStream& own_;
  const SideGraph& graph_;
  const LayersOfModel& layers_;
  const std::vector<Value> leaves_;
  absl::flat_hash_map<int, int> settled_;     // by the model's result: what was recorded
  absl::flat_hash_map<int, Value> given_;     // the same as the model has it
  std::optional<RecordedSequence> sequence_;  // of those
  std::vector<OpenResult> open_;
  std::vector<Claim> claims_;
  int64_t steps_left_ = kMostSteps;
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimInFrame(const RecordingView& view, PairingRuns& runs) {
  if (!view.has_model()) return std::vector<Claim>();
  return FrameFinder(view, runs).Find();
}

}  // namespace onnxcmp
