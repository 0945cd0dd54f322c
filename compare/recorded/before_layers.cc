#include "compare/recorded/before_layers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/alignment/weights.h"
#include "compare/inside/derived_values.h"
#include "compare/inside/swallowed_steps.h"
#include "compare/recorded/evidence.h"
#include "compare/recorded/recording_view.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

class DerivedFinder {
 public:
  explicit DerivedFinder(const RecordingView& view)
      : view_(view),
        side_(view.side()),
        own_(view.own()),
        model_(view.model()),
        layers_(view.layers()),
        partners_(view.partners()),
        evidence_(own_, model_, partners_) {}

  absl::Status Find(PairingRuns& runs, std::vector<Claim>* claims) const {
    std::vector<ResultPair> pairs;
    for (size_t r = 0; r < own_.results.size() && pairs.size() < work_bounds::kLooks; ++r) {
      if (MayBeDerived(static_cast<int>(r))) AddCandidates(static_cast<int>(r), &pairs);
    }
    absl::flat_hash_set<int> found;
    return runs.ForEach(pairs, [&](size_t i, const Value& left, const Value& right) {
      const int r = OfSide(pairs[i], side_);
      const int o = OfSide(pairs[i], Other(side_));
      if (found.contains(r) || !left.is_tensor() || !right.is_tensor()) return absl::OkStatus();
      const Value& own = side_ == SideId::kLeft ? left : right;
      const Value& other = side_ == SideId::kLeft ? right : left;
      std::string how = HowFound(r, o, own.tensor(), other.tensor());
      if (how.empty() || !evidence_.Confirms(o, r)) return absl::OkStatus();
      found.insert(r);
      claims->push_back(ClaimOf(Rule::kBeforeLayers, side_, r, o));
      claims->back().how = std::move(how);
      return absl::OkStatus();
    });
  }

  // After a fault no value of the model's tells what is folded into its layers, but the recording
  // has what a normalization reads and what it gives. The layer gives the latter: that is paired.
  absl::Status FindInRecording(PairingRuns& runs, std::vector<Claim>* claims) const {
    std::vector<std::pair<int, int>> steps;
    PerSide<std::vector<int>> wanted;
    for (size_t r = 0; r < own_.results.size() && steps.size() < work_bounds::kLooks; ++r) {
      const int before = static_cast<int>(r);
      const int after = NextLike(before);
      if (after == kNone || LayerOf(before, after) == kNone) continue;
      steps.emplace_back(before, after);
      wanted[side_].insert(wanted[side_].end(), {before, after});
    }
    if (steps.empty()) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const PerSide<ValuesOfResults> values, runs.Values(wanted));
    for (const auto& [before, after] : steps) {
      const auto x = values[side_].find(before);
      const auto y = values[side_].find(after);
      if (x == values[side_].end() || y == values[side_].end()) continue;
      const int layer = LayerOf(before, after);
      const double limit = NoiseOfDerived(own_.results[Index(before)], own_.results[Index(after)]);
      std::string how = HowDerived(x->second.tensor(), y->second.tensor(), limit,
                                   {.with_offsets = true, .activation = false});
      if (how.empty()) continue;
      claims->push_back(ClaimOf(Rule::kBeforeLayers, side_, before, layer));
      claims->back().how = std::move(how);
      if (partners_[Index(after)] == layer) continue;
      // More than any name is worth.
      claims->push_back(ClaimOf(Rule::kNames, side_, after, layer, 2 * weights::kStrongSign));
    }
    return absl::OkStatus();
  }

 private:
  // The next result, if it is of the same shape and both may tell.
  int NextLike(int r) const {
    const auto may_tell = [](const StreamResult& result) {
      return result.kind == ResultKind::kResult && TellsAsFloats(result) &&
             result.shape->size() > 1;
    };
    const size_t next = Index(r) + 1;
    const bool fits = next < own_.results.size() && may_tell(own_.results[Index(r)]) &&
                      may_tell(own_.results[next]) &&
                      own_.results[next].shape == own_.results[Index(r)].shape && !view_.Stays(r) &&
                      !view_.Stays(r + 1);
    return fits ? r + 1 : kNone;
  }

  // The model's layer of which one of two results is known to be, if neither is near: by the first
  // one's name, or by the place of the second one.
  int LayerOf(int before, int after) const {
    if (view_.IsNearPartner(before) || view_.IsNearPartner(after)) return kNone;
    const int named = partners_[Index(before)];
    if (named != kNone) return layers_.MayFold(named) ? named : kNone;
    const int placed = partners_[Index(after)];
    return placed != kNone && layers_.MayFold(placed) ? placed : kNone;
  }

  bool MayBeDerived(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    if (view_.Stays(r) || view_.IsBeside(r) || result.kind == ResultKind::kInput ||
        result.kind == ResultKind::kOutput || !TellsAsFloats(result)) {
      return false;
    }
    const int partner = partners_[Index(r)];
    if (partner == kNone) return true;
    const StreamResult& other = model_.results[Index(partner)];
    // A quantizer has left the name of an activation that its range does to the layer before; what
    // that range gives was recorded as well.
    if (IsInteger(result.precision) && !AreNear(result, other) && evidence_.Agrees(partner, r)) {
      return true;
    }
    // A result of the same name is its partner.
    return (!AreNear(result, other) || layers_.MayFold(partner)) && !view_.IsNameOf(r, partner);
  }

  void AddCandidates(int r, std::vector<ResultPair>* pairs) const {
    const StreamResult& result = own_.results[Index(r)];
    if (view_.IsNearPartner(r)) {
      ResultPair& pair = pairs->emplace_back();
      OfSide(pair, side_) = r;
      OfSide(pair, Other(side_)) = partners_[Index(r)];
      return;
    }
    std::vector<int> candidates;
    for (size_t i = 0; i < model_.results.size(); ++i) {
      const StreamResult& other = model_.results[i];
      if (other.kind == ResultKind::kResult && other.node != kNone && other.depth == 0 &&
          other.shape == result.shape && other.fingerprint.rich && other.fingerprint.finite &&
          other.fingerprint.kind == ElementKind::kFloat) {
        candidates.push_back(static_cast<int>(i));
      }
    }
    // Candidates near its neighbours' partners come first.
    const int about = partners_[Index(r)] != kNone ? partners_[Index(r)] : AfterBefore(r);
    absl::c_stable_sort(candidates,
                        [&](int a, int b) { return std::abs(a - about) < std::abs(b - about); });
    if (candidates.size() > work_bounds::kCandidates) candidates.resize(work_bounds::kCandidates);
    for (const int o : candidates) {
      if (pairs->size() >= work_bounds::kLooks) return;
      ResultPair& pair = pairs->emplace_back();
      OfSide(pair, side_) = r;
      OfSide(pair, Other(side_)) = o;
    }
  }
  int AfterBefore(int r) const {
    for (int before = r - 1; before >= 0; --before) {
      if (partners_[Index(before)] != kNone) return partners_[Index(before)];
    }
    return 0;
  }

  // A value that somebody has scaled is a factor away from a layer, too: either another recorded
  // result agrees with what the layer gives, or channels have offsets as well.
  std::string HowFound(int r, int o, const Tensor& own, const Tensor& other) const {
    if (view_.IsNearPartner(r)) {
      return IsBeforeNewNormalization(own, other) ? "before a folded BatchNormalization" : "";
    }
    const double limit = NoiseOfDerived(own_.results[Index(r)], model_.results[Index(o)]);
    const SwallowedSteps may = {.normalization = layers_.MayFold(o),
                                .with_offsets = !evidence_.Agrees(o, r),
                                .activation = layers_.MayActivate(o)};
    std::string how = HowDerived(own, other, limit, may);
    if (how.empty()) how = HowInside(own, other, layers_.OperatorsOn(o), limit);
    return how;
  }

  const RecordingView& view_;
  const SideId side_;
  const ResultStream& own_;
  const ResultStream& model_;
  const LayersOfModel& layers_;
  const std::vector<int>& partners_;
  const RecordedEvidence evidence_;
};

}  // namespace

absl::StatusOr<std::vector<Claim>> ClaimBeforeLayers(const RecordingView& view, PairingRuns& runs) {
  const DerivedFinder finder(view);
  std::vector<Claim> claims;
  OC_RETURN_IF_ERROR(finder.Find(runs, &claims));
  OC_RETURN_IF_ERROR(finder.FindInRecording(runs, &claims));
  return claims;
}

}  // namespace onnxcmp
