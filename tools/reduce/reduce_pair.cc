#include "tools/reduce/reduce_pair.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/differences/value_difference.h"
#include "record/graphs/reach.h"
#include "record/streams/fingerprint.h"
#include "tools/reduce/subset_search.h"

namespace onnxcmp {
namespace {

using NameSet = absl::flat_hash_set<std::string>;

// The results that some of a model depend on, these too.
NameSet NamesBehind(const KnownModel& known, const std::vector<std::string>& names) {
  NameSet seen;
  Reach(
      names, [&](const std::string& name) { return known.Before(name); },
      [&](const std::string& name) { return seen.insert(name).second; });
  return seen;
}

class PairReducer {
 public:
  PairReducer(const PerSide<const KnownModel*>& known, const OpRegistry& registry,
              const PairReductionOptions& options)
      : known_(known), registry_(registry), options_(options) {}

  absl::StatusOr<ReducedPair> Run(const std::vector<MeasuredPair>& pairs) {
    const std::vector<size_t> ends = EndsOf(pairs);
    if (ends.empty()) {
      return absl::NotFoundError("no output differs");
    }
    bool found = false;
    for (const size_t end : ends) {
      if (found && NodesOf(best_) <= 2) break;
      EndAt(pairs, end);
      OC_ASSIGN_OR_RETURN(const bool differs, Differs({}));
      if (!differs || (found && NodesOf(last_) >= NodesOf(best_))) continue;
      best_ = std::move(last_);
      found = true;
    }
    // No single place: the difference adds up over many.
    if (!found) OC_RETURN_IF_ERROR(OpenEntries(pairs, ends.front()));
    best_.nodes_before = {known_.left->node_count(), known_.right->node_count()};
    best_.runs = runs_;
    return std::move(best_);
  }

 private:
  std::string DifferenceText(const Value& left, const Value& right) const {
    const ValueDifference difference = DifferenceWithin(tolerance_, left, right, true);
    if (!difference.agree()) {
      return difference.reason.empty()
                 ? absl::StrCat("up to ", difference.max_absolute, " at ",
                                difference.max_absolute_at, ": ", difference.max_absolute_pair)
                 : difference.reason;
    }
    if (options_.bits && ContentOf(left) != ContentOf(right)) {
      return absl::StrCat("other bits, up to ", difference.max_absolute);
    }
    return "";
  }

  static int NodesOf(const ReducedPair& pair) {
    return pair.parts.left.proto.graph().node_size() + pair.parts.right.proto.graph().node_size();
  }

  // The first of the pairs that differ among what a differing output depends on, in their order.
  std::vector<size_t> EndsOf(const std::vector<MeasuredPair>& pairs) const {
    PerSide<std::vector<std::string>> outputs;
    std::vector<size_t> of_other_shapes;
    for (const auto& output : known_.left->proto->graph().output()) {
      const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const MeasuredPair& each) {
        return each.names.left == output.name() && each.differs;
      });
      if (pair == pairs.end() || !IsComputed(pair->names)) continue;
      if (!HaveOneForm(pair->names)) {
        of_other_shapes.push_back(static_cast<size_t>(pair - pairs.begin()));
      }
      outputs.left.push_back(pair->names.left);
      outputs.right.push_back(pair->names.right);
    }
    const NameSet left = NamesBehind(*known_.left, outputs.left);
    const NameSet right = NamesBehind(*known_.right, outputs.right);
    std::vector<size_t> ends;
    for (size_t i = 0; i < pairs.size() && ends.size() < work_bounds::kCandidates; ++i) {
      const NamePair& names = pairs[i].names;
      if (pairs[i].differs && left.contains(names.left) && right.contains(names.right) &&
          IsComputed(names) && HaveOneForm(names)) {
        ends.push_back(i);
      }
    }
    return ends.empty() ? of_other_shapes : ends;
  }

  bool IsComputed(const NamePair& names) const {
    return known_.left->makers.contains(names.left) && known_.right->makers.contains(names.right);
  }

  // Pairs of other shapes and types say where the two models are built in another way, not what
  // they compute.
  bool HaveOneForm(const NamePair& names) const {
    const auto left = known_.left->values.find(names.left);
    const auto right = known_.right->values.find(names.right);
    if (left == known_.left->values.end() || right == known_.right->values.end() ||
        !left->second.is_tensor() || !right->second.is_tensor()) {
      return false;
    }
    const Tensor &a = left->second.tensor(), &b = right->second.tensor();
    const bool floats = IsFloatingPoint(a.dtype()) && IsFloatingPoint(b.dtype());
    return a.shape() == b.shape() && (a.dtype() == b.dtype() || floats);
  }

  // Finds where both can be cut before the end, the nearest first; inputs are always fed.
  void EndAt(const std::vector<MeasuredPair>& pairs, size_t end) {
    end_ = pairs[end].names;
    tolerance_ = pairs[end].tolerance;
    entries_.clear();
    always_.clear();
    const NameSet left = NamesBehind(*known_.left, {end_.left});
    const NameSet right = NamesBehind(*known_.right, {end_.right});
    NameSet used;
    for (auto measured = pairs.rbegin(); measured != pairs.rend(); ++measured) {
      const NamePair* pair = &measured->names;
      if (pair->left == end_.left || pair->right == end_.right || !left.contains(pair->left) ||
          !right.contains(pair->right) || !CanCutAt(known_, *pair)) {
        continue;
      }
      // Constants stay: they may be what differs.
      if (known_.left->constant.contains(pair->left) ||
          known_.right->constant.contains(pair->right)) {
        continue;
      }
      if (!used.insert(absl::StrCat("left ", pair->left)).second ||
          !used.insert(absl::StrCat("right ", pair->right)).second) {
        continue;
      }
      (IsComputed(*pair) ? entries_ : always_).push_back(*pair);
    }
  }

  // Leaves as few places uncut as show the difference.
  absl::Status OpenEntries(const std::vector<MeasuredPair>& pairs, size_t end) {
    EndAt(pairs, end);
    SubsetQuestions questions;
    questions.empty_may_hold = true;
    questions.holds = [this](const std::vector<int>& open) { return Differs(open); };
    OC_ASSIGN_OR_RETURN(const std::vector<int> open,
                        SmallSubset(static_cast<int>(entries_.size()), questions));
    OC_ASSIGN_OR_RETURN(const bool differs, Differs(open));
    if (!differs) {
      return absl::FailedPreconditionError(
          absl::StrCat(end_.left,
                       " differs in the whole models, but not in any part of them that "
                       "is fed with the left's values: what differs are the inputs"));
    }
    best_ = std::move(last_);
    return absl::OkStatus();
  }

  // True if the parts that begin at all entries but these still differ.
  absl::StatusOr<bool> Differs(const std::vector<int>& open) {
    std::vector<NamePair> from = always_;
    for (int i = 0; i < static_cast<int>(entries_.size()); ++i) {
      if (!std::binary_search(open.begin(), open.end(), i)) {
        from.push_back(entries_[static_cast<size_t>(i)]);
      }
    }
    absl::StatusOr<PerSide<FedModel>> parts =
        MakePartPair(known_, from, {end_}, SmallConstants::kFolded);
    if (!parts.ok()) return false;
    PerSide<Value> values;
    for (const SideId side : kBothSides) {
      FedModel& part = OfSide(*parts, side);
      TypeOutputs(registry_, OfSide(known_, side)->values, &part.proto);
      absl::StatusOr<KnownModel> ran = RunKnownModel(std::make_shared<onnx::ModelProto>(part.proto),
                                                     part.feeds, registry_, options_.model);
      if (!ran.ok()) return false;
      OfSide(values, side) = ran->values[OfSide(end_, side)];
    }
    ++runs_;
    std::string text = DifferenceText(values.left, values.right);
    if (text.empty()) return false;
    last_.parts = *std::move(parts);
    last_.output = end_;
    last_.values = std::move(values);
    last_.difference = std::move(text);
    return true;
  }

  const PerSide<const KnownModel*> known_;
  const OpRegistry& registry_;
  const PairReductionOptions& options_;
  NamePair end_;
  Tolerance tolerance_;
  std::vector<NamePair> entries_, always_;
  ReducedPair last_, best_;
  int64_t runs_ = 0;
};

}  // namespace

absl::StatusOr<ReducedPair> ReducePair(const PerSide<const KnownModel*>& known,
                                       const std::vector<MeasuredPair>& pairs,
                                       const OpRegistry& registry,
                                       const PairReductionOptions& options) {
  return PairReducer(known, registry, options).Run(pairs);
}

}  // namespace onnxcmp
