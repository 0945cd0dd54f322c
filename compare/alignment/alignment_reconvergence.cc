#include "compare/alignment/alignment_reconvergence.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "compare/alignment/weights.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

class Reconvergence {
 public:
  Reconvergence(Pairing& pairing, const ValueEvidence& evidence)
      : pairing_(pairing),
        evidence_(evidence),
        index_(pairing.index()),
        left_elements_(index_.left.elements.begin(), index_.left.elements.end()),
        right_elements_(index_.right.elements.begin(), index_.right.elements.end()) {}

  // Goes backwards, so that all pairs after one are settled before it.
  std::vector<std::pair<int, int>> TakeBack() {
    std::vector<std::pair<int, int>> taken;
    for (int l = index_.left.size() - 1; l >= 0; --l) {
      const PairStage stage = pairing_.stage_of_left(l);
      if (stage == PairStage::kUnpaired) continue;
      const int r = pairing_.of_left(l);
      // The pair was made by values, although far apart ones: a product is near itself with a small
      // bias.
      const double d = evidence_.Distance(l, r);
      if (stage == PairStage::kValues && d <= weights::kNear) continue;
      if (d <= (FromBytes(l, r)   ? weights::kByteRounding
                : index_.has_half ? weights::kHalfRounding
                                  : 0))
        continue;
      if (index_.left.result(l).kind == ResultKind::kInput) continue;
      if (Agree(l, r) || Plausible(l, r)) continue;
      taken.push_back({l, r});
      pairing_.Unpair(l, r);
    }
    std::reverse(taken.begin(), taken.end());
    // A result that differs because its inputs differ is no intermediate result of a rewrite. The
    // cause lies before it, and is judged first.
    std::erase_if(taken, [&](const std::pair<int, int>& pair) {
      const auto [l, r] = pair;
      if (!FollowsFromInputs(l, r)) return false;
      pairing_.Pair(l, r, Rule::kStructure);
      return true;
    });
    return taken;
  }

 private:
  // True if the same operator read paired inputs, slot by slot, and some of these are apart.
  bool FollowsFromInputs(int l, int r) const {
    const StreamIndex& left = index_.left;
    const StreamIndex& right = index_.right;
    const int left_node = left.producer(l);
    const int right_node = right.producer(r);
    if (left_node == kNone || right_node == kNone || left.is_leaf(l) || right.is_leaf(r) ||
        left.result(l).slot != right.result(r).slot ||
        StreamIndex::At(left.attributes, left_node) !=
            StreamIndex::At(right.attributes, right_node)) {
      return false;
    }
    const FewResults& left_inputs = left.node(left_node).inputs;
    const FewResults& right_inputs = right.node(right_node).inputs;
    if (left_inputs.size() != right_inputs.size()) return false;
    bool apart = false;
    for (size_t i = 0; i < left_inputs.size(); ++i) {
      const int a = left_inputs[i];
      const int b = right_inputs[i];
      if (a == kNone || b == kNone) {
        if (a != b) return false;
        continue;
      }
      if (evidence_.SameContent(a, b)) continue;
      if (pairing_.of_left(a) != b) return false;
      apart |= !Agree(a, b);
    }
    return apart;
  }

  static bool IsByte(DType type) { return IsInteger(type) && BitWidth(type) <= 8; }

  // True if either was computed from quantized numbers.
  bool FromBytes(int l, int r) const {
    return IsByte(index_.left.result(l).precision) || IsByte(index_.right.result(r).precision);
  }

  bool Agree(int l, int r) const {
    const StreamIndex& left = index_.left;
    const StreamIndex& right = index_.right;
    const DType left_type = left.result(l).dtype;
    const DType right_type = right.result(r).dtype;
    const double noise = IsByte(left_type) || IsByte(right_type) ? weights::kByteAgree
                         : FromBytes(l, r)                       ? weights::kHalfRounding
                         : index_.has_half                       ? weights::kHalfAgree
                                                                 : weights::kAgree;
    return evidence_.Distance(l, r) <= noise || SquashedDistance(l, r) <= noise ||
           StreamIndex::At(left.bits, l) == StreamIndex::At(right.bits, r) ||
           StreamIndex::At(left.elements, l) == StreamIndex::At(right.elements, r);
  }

  // Ignores the size of large numbers: the least float of one type masks as well as that of
  // another.
  double SquashedDistance(int l, int r) const {
    return SquashedSketchDistance(index_.left.fingerprint(l), index_.right.fingerprint(r));
  }

  // True if a result after the pair is wrong, too, or if one may hide that it is.
  bool Plausible(int l, int r) const {
    const StreamIndex& left = index_.left;
    const StreamIndex& right = index_.right;
    if (!left.output_rows[l].empty() || !right.output_rows[r].empty()) return true;
    if (left.uses[l].empty() || right.uses[r].empty()) return true;
    size_t behind = 0;
    size_t apart = 0;
    absl::flat_hash_set<int> seen = {l};
    std::vector<int> open = {l};
    while (!open.empty() && seen.size() < work_bounds::kCandidates) {
      const int from = open.back();
      open.pop_back();
      for (const Use& use : left.uses[from]) {
        if (seen.size() >= work_bounds::kCandidates) break;
        for (int output : left.node(use.node).outputs) {
          if (output == kNone || !seen.insert(output).second) continue;
          const int partner = pairing_.of_left(output);
          if (partner == kNone) {
            open.push_back(output);
            continue;
          }
          const bool equal = Agree(output, partner);
          if (equal && from == l && Absorbs(use.node, partner)) return !IsElsewhere(l, r);
          ++behind;
          if (!equal) ++apart;
        }
      }
    }
    if (behind == 0) {
      const int left_node = left.producer(l);
      const int right_node = right.producer(r);
      return (left_node != kNone && right_node != kNone &&
              StreamIndex::At(left.op, left_node) == StreamIndex::At(right.op, right_node)) ||
             evidence_.Distance(l, r) < weights::kByteRounding;
    }
    return (behind <= weights::kFewAfter && apart > 0) || apart * weights::kFewAfter >= behind;
  }

  // True if one of them has the elements of another result of the other side: then results after
  // the pair may hide that it is apart, or it is no pair. A copy in another layout is the same as
  // its source.
  bool IsElsewhere(int l, int r) const {
    if (index_.left.result(l).fingerprint.size <= weights::kTellingElements) return false;
    const int ours = StreamIndex::At(index_.left.elements, l);
    const int theirs = StreamIndex::At(index_.right.elements, r);
    // If both had, they would be each other's, and the pair would not be apart.
    return ours != theirs && (left_elements_.contains(theirs) || right_elements_.contains(ours));
  }

  bool Absorbs(int left_node, int right_result) const {
    const int right_node = index_.right.producer(right_result);
    return HasTrait(index_.left.node(left_node), OperatorTrait::kAbsorbs) ||
           (right_node != kNone &&
            HasTrait(index_.right.node(right_node), OperatorTrait::kAbsorbs));
  }

  Pairing& pairing_;
  const ValueEvidence& evidence_;
  const AlignmentIndex& index_;
  const absl::flat_hash_set<int> left_elements_, right_elements_;
};

// The first output of a reader of `r` that `is_nearer`; kNone if there is none.
int NextThat(const StreamIndex& side, int r, absl::FunctionRef<bool(int)> is_nearer) {
  const auto uses = side.uses[r];
  for (const Use& use : uses.first(std::min(uses.size(), weights::kMostQueued))) {
    const int next = side.first_output(use.node);
    if (next != kNone && is_nearer(next)) return next;
  }
  return kNone;
}

}  // namespace

void MoveToNearer(Pairing& pairing) {
  const AlignmentIndex& index = pairing.index();
  for (int l = 0; l < index.left.size(); ++l) {
    if (pairing.left_free(l) || index.left.is_leaf(l) || index.left.is_output_row(l)) continue;
    const int r = pairing.of_left(l);
    const double apart = SketchDistance(index.left.fingerprint(l), index.right.fingerprint(r));
    if (index.right.is_leaf(r) || apart < weights::kMovedFrom || apart > weights::kSameValue)
      continue;
    // A side's free result right after its own of the pair that is nearer to the other side's.
    const auto next_of = [&](SideId side, int own, int partner) {
      const StreamIndex& ours = index[side];
      const StreamIndex& theirs = index[Other(side)];
      return NextThat(ours, own, [&](int next) {
        return pairing.is_free(side, next) && !ours.is_copy(next) &&
               StreamIndex::At(ours.shape, next) == StreamIndex::At(theirs.shape, partner) &&
               SketchDistance(ours.fingerprint(next), theirs.fingerprint(partner)) *
                       weights::kAsNear <
                   apart;
      });
    };
    const int next_left = next_of(SideId::kLeft, l, r);
    const int next_right = next_left != kNone ? kNone : next_of(SideId::kRight, r, l);
    if (next_left == kNone && next_right == kNone) continue;
    pairing.Unpair(l, r);
    pairing.Pair(next_left != kNone ? next_left : l, next_right != kNone ? next_right : r,
                 Rule::kReconvergence);
  }
}

std::vector<std::pair<int, int>> TakeBackReconverging(Pairing& pairing,
                                                      const ValueEvidence& evidence) {
  return Reconvergence(pairing, evidence).TakeBack();
}

}  // namespace onnxcmp
