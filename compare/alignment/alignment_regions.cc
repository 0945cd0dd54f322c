#include "compare/alignment/alignment_regions.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "compare/alignment/weights.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// Walks back from a result through unpaired results that only the region uses.
class Absorber {
 public:
  Absorber(const StreamIndex& side, const std::vector<int>& partner, const std::vector<int>& shared)
      : side_(side),
        partner_(partner),
        shared_(shared),
        owner_(static_cast<size_t>(side.size()), kNone) {}

  // The results that `owner` would absorb.
  std::vector<int> Region(int owner) const {
    std::vector<int> absorbed;
    absl::flat_hash_set<int> nodes;
    std::vector<int> open = {side_.producer(owner)};
    nodes.insert(open.back());
    while (!open.empty() && nodes.size() < work_bounds::kCandidates) {
      const int n = open.back();
      open.pop_back();
      for (int input : side_.node(n).inputs) {
        if (input == kNone || side_.producer(input) == kNone || !IsInner(input, nodes)) continue;
        if (std::find(absorbed.begin(), absorbed.end(), input) != absorbed.end()) continue;
        absorbed.push_back(input);
        if (nodes.insert(side_.producer(input)).second) open.push_back(side_.producer(input));
      }
    }
    return absorbed;
  }

  void Absorb(int owner, const std::vector<int>& absorbed) {
    for (int r : absorbed) owner_[Index(r)] = owner;
  }

  // Counts operators that compute something: no copies, no constants, no shapes.
  size_t Operators(const std::vector<int>& absorbed) const {
    return static_cast<size_t>(std::count_if(absorbed.begin(), absorbed.end(), [&](int r) {
      const Fingerprint& f = side_.fingerprint(r);
      const bool shape_like = f.kind == ElementKind::kInteger && !f.rich;
      return !side_.is_copy(r) && !side_.is_leaf(r) && !shape_like;
    }));
  }

  std::vector<int> TakeOwners() { return std::move(owner_); }

 private:
  bool IsInner(int r, const absl::flat_hash_set<int>& nodes) const {
    if (StreamIndex::At(partner_, r) != kNone || StreamIndex::At(shared_, r) != kNone ||
        StreamIndex::At(owner_, r) != kNone || !side_.output_rows[r].empty()) {
      return false;
    }
    const auto uses = side_.uses[r];
    return uses.size() <= work_bounds::kCandidates &&
           std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
             return use.slot != kCaptureSlot && nodes.contains(use.node);
           });
  }

  const StreamIndex& side_;
  const std::vector<int>& partner_;
  const std::vector<int>& shared_;
  std::vector<int> owner_;
};

// Marks pairs whose producer on one side has outputs that come from different operators on the
// other.
void MarkJoinedOutputs(const Pairing& pairing, SideId id, std::vector<uint8_t>& fused) {
  const StreamIndex& side = pairing.index()[id];
  const StreamIndex& other = pairing.index()[Other(id)];
  const auto partner_of = [&](int r) {
    return r == kNone ? kNone : StreamIndex::At(pairing.partners(id), r);
  };
  for (const StreamNode& node : side.stream().nodes) {
    int maker = kNone;
    bool several = false;
    for (int output : node.outputs) {
      const int partner = partner_of(output);
      if (partner == kNone || side.is_copy(output) || other.is_copy(partner)) continue;
      const int producer = other.producer(partner);
      if (producer == kNone || other.is_leaf(partner)) continue;
      several |= maker != kNone && maker != producer;
      maker = producer;
    }
    if (!several) continue;
    for (int output : node.outputs) {
      const int partner = partner_of(output);
      if (partner != kNone) fused[Index(id == SideId::kLeft ? output : partner)] = 1;
    }
  }
}

}  // namespace

Regions FindRegions(const Pairing& pairing, const ValueEvidence& evidence,
                    const SharedPartners& shared) {
  const StreamIndex& left = pairing.index().left;
  const StreamIndex& right = pairing.index().right;
  Absorber left_absorber(left, pairing.left(), shared.of_left);
  Absorber right_absorber(right, pairing.right(), shared.of_right);
  Regions regions;
  regions.fused.assign(static_cast<size_t>(left.size()), 0);
  for (int l = 0; l < left.size(); ++l) {
    const int r = pairing.of_left(l);
    if (r == kNone || left.is_output_row(l)) continue;
    const int left_node = left.producer(l);
    const int right_node = right.producer(r);
    // A further operator before one whose value differs from its counterpart was not fused into it:
    // that difference must stay visible.
    const bool same_operator =
        left_node != kNone && right_node != kNone &&
        StreamIndex::At(left.op, left_node) == StreamIndex::At(right.op, right_node);
    const bool same_elements =
        StreamIndex::At(left.elements, l) == StreamIndex::At(right.elements, r);
    if (same_operator && !same_elements && evidence.Distance(l, r) > weights::kNear) continue;
    const bool left_made = left_node != kNone && !left.is_leaf(l);
    const bool right_made = right_node != kNone && !right.is_leaf(r);
    // A recorded result says nothing about how it was computed.
    if (!(left_made || left.is_leaf(l)) || !(right_made || right.is_leaf(r))) continue;
    const std::vector<int> left_inner = left_made ? left_absorber.Region(l) : std::vector<int>();
    const std::vector<int> right_inner = right_made ? right_absorber.Region(r) : std::vector<int>();
    left_absorber.Absorb(l, left_inner);
    right_absorber.Absorb(r, right_inner);
    regions.fused[Index(l)] =
        left_made && right_made &&
        left_absorber.Operators(left_inner) + right_absorber.Operators(right_inner) > 0;
  }
  for (const SideId side : kBothSides) MarkJoinedOutputs(pairing, side, regions.fused);
  regions.left_owner = left_absorber.TakeOwners();
  regions.right_owner = right_absorber.TakeOwners();
  return regions;
}

}  // namespace onnxcmp
