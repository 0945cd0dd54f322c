#include "compare/recorded/before_layers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/inside/derived_values.h"
#include "compare/inside/swallowed_steps.h"
#include "compare/recorded/evidence.h"
#include "compare/recorded/names.h"
#include "compare/recorded/partners.h"
#include "compare/sides/recorded_layout.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/streams/common_form.h"
#include "record/streams/fingerprint.h"
#include "record/streams/result_names.h"

namespace onnxcmp {
namespace {

class DerivedFinder {
 public:
  DerivedFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                absl::Span<const AddedPair> added, SideId recorded)
      : sides_(sides),
        side_(recorded),
        own_(*sides[recorded].stream),
        model_(*sides[Other(recorded)].stream),
        layers_(model_),
        partners_(PartnersOfRecorded(alignment, added, recorded)),
        fixed_(RecordedWithMark(alignment, recorded, {Mark::kGiven, Mark::kEntry})) {
    evidence_.emplace(own_, model_, partners_);
  }

  absl::StatusOr<std::vector<DerivedResult>> Find(int64_t keep_values,
                                                  const PairValues::Watch& watch) const {
    std::vector<ResultPair> pairs;
    for (size_t r = 0; r < own_.results.size() && pairs.size() < work_bounds::kLooks; ++r) {
      if (MayBeDerived(static_cast<int>(r))) AddCandidates(static_cast<int>(r), &pairs);
    }
    std::vector<DerivedResult> found;
    if (pairs.empty()) return found;
    absl::flat_hash_map<int, DerivedResult> by_result;
    PairValues values(sides_, keep_values, watch);
    OC_RETURN_IF_ERROR(values.ForEach(pairs, [&](size_t i, const Value& left, const Value& right) {
      const int r = OfSide(pairs[i], side_);
      const int o = OfSide(pairs[i], Other(side_));
      if (by_result.contains(r) || !left.is_tensor() || !right.is_tensor()) {
        return absl::OkStatus();
      }
      const Value& own = side_ == SideId::kLeft ? left : right;
      const Value& other = side_ == SideId::kLeft ? right : left;
      std::string how = HowFound(r, o, own.tensor(), other.tensor());
      if (!how.empty() && evidence_->Confirms(o, r)) by_result[r] = {side_, r, o, std::move(how)};
      return absl::OkStatus();
    }));
    for (auto& [r, derived] : by_result) found.push_back(std::move(derived));
    absl::c_sort(found, [](const auto& a, const auto& b) { return a.result < b.result; });
    return found;
  }

  // After a fault no value of the model's tells what is folded into its layers, but the recording
  // has what a normalization reads and what it gives. The layer gives the latter: that is paired.
  absl::StatusOr<std::vector<DerivedResult>> FindInRecording(const PairValues::Watch& watch,
                                                             std::vector<AddedPair>* added) const {
    std::vector<DerivedResult> found;
    std::vector<std::pair<int, int>> steps;
    PerSide<std::vector<int>> wanted;
    for (size_t r = 0; r < own_.results.size() && steps.size() < work_bounds::kLooks; ++r) {
      const int before = static_cast<int>(r);
      const int after = NextLike(before);
      if (after == kNone || LayerOf(before, after) == kNone) continue;
      steps.emplace_back(before, after);
      wanted[side_].insert(wanted[side_].end(), {before, after});
    }
    if (steps.empty()) return found;
    OC_ASSIGN_OR_RETURN(const PerSide<ValuesOfResults> values, ValuesAgain(sides_, wanted, watch));
    for (const auto& [before, after] : steps) {
      const auto x = values[side_].find(before);
      const auto y = values[side_].find(after);
      if (x == values[side_].end() || y == values[side_].end()) continue;
      const int layer = LayerOf(before, after);
      const double limit = NoiseOfDerived(own_.results[Index(before)], own_.results[Index(after)]);
      std::string how = HowDerived(x->second.tensor(), y->second.tensor(), limit,
                                   {.with_offsets = true, .activation = false});
      if (how.empty()) continue;
      found.push_back({side_, before, layer, std::move(how)});
      if (partners_[Index(after)] == layer) continue;
      std::erase_if(*added, [&](const auto& pair) { return OfSide(pair, side_) == after; });
      AddedPair& pair = added->emplace_back();
      OfSide(pair, side_) = after;
      OfSide(pair, Other(side_)) = layer;
      pair.how = Mark::kNamed;
    }
    return found;
  }

 private:
  // The next result, if it is of the same shape and both may tell.
  int NextLike(int r) const {
    const auto may_tell = [](const StreamResult& result) {
      return result.kind == ResultKind::kResult && result.shape.has_value() &&
             result.shape->size() > 1 && result.fingerprint.rich && result.fingerprint.finite &&
             result.fingerprint.kind == ElementKind::kFloat && result.fingerprint.size > kHandful;
    };
    const size_t next = Index(r) + 1;
    const bool fits = next < own_.results.size() && may_tell(own_.results[Index(r)]) &&
                      may_tell(own_.results[next]) &&
                      own_.results[next].shape == own_.results[Index(r)].shape &&
                      !fixed_.contains(r) && !fixed_.contains(r + 1);
    return fits ? r + 1 : kNone;
  }

  // The model's layer of which one of two results is known to be, if neither is near: by the first
  // one's name, or by the place of the second one.
  int LayerOf(int before, int after) const {
    if (IsNearPartner(before) || IsNearPartner(after)) return kNone;
    const int named = partners_[Index(before)];
    if (named != kNone) return layers_.MayFold(named) ? named : kNone;
    const int placed = partners_[Index(after)];
    return placed != kNone && layers_.MayFold(placed) ? placed : kNone;
  }

  bool MayBeDerived(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    if (fixed_.contains(r)) return false;
    if (result.kind == ResultKind::kInput || result.kind == ResultKind::kOutput ||
        !result.shape.has_value() || !result.fingerprint.rich || !result.fingerprint.finite ||
        result.fingerprint.kind != ElementKind::kFloat || result.fingerprint.size <= kHandful) {
      return false;
    }
    const int partner = partners_[Index(r)];
    if (partner == kNone) return true;
    const StreamResult& other = model_.results[Index(partner)];
    // A quantizer has left the name of an activation that its range does to the layer before; what
    // that range gives was recorded as well.
    if (IsInteger(result.precision) && !AreNear(result, other) && evidence_->Agrees(partner, r)) {
      return true;
    }
    // A result of the same name is its partner.
    return (!AreNear(result, other) || layers_.MayFold(partner)) &&
           FullName(result) != FullName(other) &&
           absl::c_none_of(model_.results, [&](const StreamResult& output) {
             return output.kind == ResultKind::kOutput && output.name == result.name;
           });
  }

  void AddCandidates(int r, std::vector<ResultPair>* pairs) const {
    const StreamResult& result = own_.results[Index(r)];
    if (IsNearPartner(r)) {
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
  bool IsNearPartner(int r) const {
    const int partner = partners_[Index(r)];
    return partner != kNone && AreNear(own_.results[Index(r)], model_.results[Index(partner)]);
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
    if (IsNearPartner(r)) {
      return IsBeforeNewNormalization(own, other) ? "before a folded BatchNormalization" : "";
    }
    if (!IsBlocked(model_.results[Index(o)], model_)) return HowInOrder(r, o, own, other);
    for (const int block : {16, 8}) {
      const absl::StatusOr<Value> plain = InLayout(Value(other), {{}, {}, own.shape(), block});
      if (!plain.ok()) continue;
      std::string how = HowInOrder(r, o, own, plain->tensor());
      if (!how.empty()) return how;
    }
    return "";
  }
  std::string HowInOrder(int r, int o, const Tensor& own, const Tensor& other) const {
    const double limit = NoiseOfDerived(own_.results[Index(r)], model_.results[Index(o)]);
    const SwallowedSteps may = {.normalization = layers_.MayFold(o),
                                .with_offsets = !evidence_->Agrees(o, r),
                                .activation = layers_.MayActivate(o)};
    std::string how = HowDerived(own, other, limit, may);
    if (how.empty()) how = HowInside(own, other, layers_.OperatorsOn(o), limit);
    return how;
  }

  const PerSide<RecordedSide>& sides_;
  const SideId side_;
  const ResultStream& own_;
  const ResultStream& model_;
  const LayersOfModel layers_;
  std::vector<int> partners_;
  std::optional<RecordedEvidence> evidence_;
  absl::flat_hash_set<int> fixed_;  // recorded results whose partners stay
};

}  // namespace

absl::StatusOr<std::vector<DerivedResult>> FindDerived(const PerSide<RecordedSide>& sides,
                                                       const Alignment& alignment,
                                                       int64_t keep_values,
                                                       const PairValues::Watch& watch,
                                                       std::vector<AddedPair>* added) {
  if (sides.left.stream->recorded == sides.right.stream->recorded) {
    return std::vector<DerivedResult>();
  }
  const SideId recorded = sides.left.stream->recorded ? SideId::kLeft : SideId::kRight;
  const DerivedFinder finder(sides, alignment, *added, recorded);
  OC_ASSIGN_OR_RETURN(std::vector<DerivedResult> found, finder.Find(keep_values, watch));
  OC_ASSIGN_OR_RETURN(const std::vector<DerivedResult> more, finder.FindInRecording(watch, added));
  for (const DerivedResult& one : more) {
    const auto is_known = [&](const auto& other) { return other.result == one.result; };
    if (absl::c_none_of(found, is_known)) found.push_back(one);
  }
  return found;
}

}  // namespace onnxcmp
