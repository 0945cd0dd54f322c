#include "compare/verdict/derived_results.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "compare/alignment/recorded_names.h"
#include "compare/alignment/recorded_pairs.h"
#include "compare/alignment/weights.h"
#include "compare/differences/precision.h"
#include "compare/operators/operator_traits.h"
#include "compare/streams/downstream.h"
#include "compare/streams/fingerprint.h"
#include "compare/streams/result_names.h"
#include "compare/verdict/derived_values.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostDerived = 2048;
constexpr size_t kMostCandidates = 64;

class DerivedFinder {
 public:
  DerivedFinder(const PerSide<RecordedSide>& sides, const Alignment& alignment,
                absl::Span<const AddedPair> added, SideId recorded)
      : sides_(sides),
        side_(recorded),
        own_(*sides[recorded].stream),
        model_(*sides[Other(recorded)].stream),
        partners_(alignment.partners(recorded)) {
    for (const AddedPair& pair : added) {
      const int r = OfSide(pair, side_);
      if (pair.shared != side_) partners_[Index(r)] = OfSide(pair, Other(side_));
    }
    for (size_t r = 0; r < partners_.size(); ++r) {
      const int o = partners_[r];
      if (o == kNone || own_.results[r].kind == ResultKind::kOutput) continue;
      (IsNear(own_.results[r], model_.results[Index(o)]) ? agreeing_ : disagreeing_).insert(o);
    }
  }

  absl::StatusOr<std::vector<DerivedResult>> Find(int64_t keep_values,
                                                  const PairValues::Watch& watch) {
    std::vector<ResultPair> pairs;
    for (size_t r = 0; r < own_.results.size() && pairs.size() < kMostDerived; ++r) {
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
      std::string how =
          HowDerived(own.tensor(), other.tensor(), LimitOf(r, o), {MayFold(o), MayActivate(o)});
      if (!how.empty() && IsVouchedFor(r, o)) by_result[r] = {side_, r, o, std::move(how)};
      return absl::OkStatus();
    }));
    for (auto& [r, derived] : by_result) found.push_back(std::move(derived));
    absl::c_sort(found, [](const auto& a, const auto& b) { return a.result < b.result; });
    return found;
  }

 private:
  static bool IsNear(const StreamResult& a, const StreamResult& b) {
    if (a.fingerprint.bits == b.fingerprint.bits) return true;
    return a.fingerprint.kind == ElementKind::kFloat && b.fingerprint.kind == ElementKind::kFloat &&
           SketchDistance(a.fingerprint, b.fingerprint) <= ReachOf(a, b);
  }
  static double ReachOf(const StreamResult& a, const StreamResult& b) {
    const DType type = LessPrecise(a.own_precision, b.own_precision);
    return type == DType::kFloat || type == DType::kDouble ? weights::kNear
                                                           : weights::kNearNamesake;
  }

  bool MayBeDerived(int r) const {
    const StreamResult& result = own_.results[Index(r)];
    if (result.kind == ResultKind::kInput || result.kind == ResultKind::kOutput ||
        !result.shape.has_value() || !result.fingerprint.rich || !result.fingerprint.finite ||
        result.fingerprint.kind != ElementKind::kFloat || result.fingerprint.size <= kHandful) {
      return false;
    }
    const int partner = partners_[Index(r)];
    if (partner == kNone) return true;
    const StreamResult& other = model_.results[Index(partner)];
    // A result of the same name is its partner.
    return !IsNear(result, other) && FullName(result) != FullName(other) &&
           absl::c_none_of(model_.results, [&](const StreamResult& output) {
             return output.kind == ResultKind::kOutput && output.name == result.name;
           });
  }

  void AddCandidates(int r, std::vector<ResultPair>* pairs) const {
    const StreamResult& result = own_.results[Index(r)];
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
    if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
    for (const int o : candidates) {
      if (pairs->size() >= kMostDerived) return;
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

  double LimitOf(int r, int o) const {
    constexpr double kOfFloats = 1e-4;
    return ReachOf(own_.results[Index(r)], model_.results[Index(o)]) == weights::kNear
               ? kOfFloats
               : weights::kNearNamesake;
  }

  // The node that computes a result of the model, before conversions; null if there is none.
  const StreamNode* MakerOf(int o) const {
    constexpr int kMostAfter = 4;
    for (int after = 0; after < kMostAfter; ++after) {
      const int n = model_.results[Index(o)].node;
      if (n == kNone) return nullptr;
      const StreamNode& node = model_.nodes[Index(n)];
      const bool converts = node.op_type == "Cast" || node.op_type == "QuantizeLinear" ||
                            node.op_type == "DequantizeLinear" || node.op_type == "ReorderOutput";
      if (!converts || node.inputs.empty() || node.inputs.front() == kNone) return &node;
      o = node.inputs.front();
    }
    return nullptr;
  }

  // True if a normalization may be folded into the layer before a result of the model. A scaled
  // value differs by a factor, too, so another recorded result has to agree with the layer's
  // result.
  bool MayFold(int o) const {
    const StreamNode* const maker = MakerOf(o);
    return maker != nullptr && HasTrait(*maker, OperatorTrait::kProducts) && agreeing_.contains(o);
  }

  // True if the node of a result of the model may include an activation. The input of a separate
  // activation is a result of the model, and its own recorded value has to agree with that.
  bool MayActivate(int o) const {
    const StreamNode* const maker = MakerOf(o);
    if (maker == nullptr || HasTrait(*maker, OperatorTrait::kProducts)) return maker != nullptr;
    return absl::c_any_of(maker->inputs, [&](int read) {
      return read != kNone && model_.results[Index(read)].fingerprint.size > 1 &&
             model_.results[Index(read)].shape != model_.results[Index(o)].shape;
    });
  }

  // True if other recorded results confirm the model's result.
  bool IsVouchedFor(int r, int o) const {
    if (agreeing_.contains(o)) return true;
    if (disagreeing_.contains(o) && partners_[Index(r)] != o) return false;
    const std::vector<bool> behind = Behind({o}, model_);
    bool any = false;
    for (const int other : agreeing_) any = any || behind[Index(other)];
    return any && absl::c_none_of(disagreeing_, [&](int other) { return behind[Index(other)]; });
  }

  const PerSide<RecordedSide>& sides_;
  const SideId side_;
  const ResultStream& own_;
  const ResultStream& model_;
  std::vector<int> partners_;
  // Results of the model whose recorded partners agree, and those whose partners do not.
  absl::flat_hash_set<int> agreeing_;
  absl::flat_hash_set<int> disagreeing_;
};

}  // namespace

absl::StatusOr<std::vector<DerivedResult>> FindDerived(const PerSide<RecordedSide>& sides,
                                                       const Alignment& alignment,
                                                       absl::Span<const AddedPair> added,
                                                       int64_t keep_values,
                                                       const PairValues::Watch& watch) {
  if (sides.left.stream->recorded == sides.right.stream->recorded) {
    return std::vector<DerivedResult>();
  }
  const SideId recorded = sides.left.stream->recorded ? SideId::kLeft : SideId::kRight;
  return DerivedFinder(sides, alignment, added, recorded).Find(keep_values, watch);
}

}  // namespace onnxcmp
