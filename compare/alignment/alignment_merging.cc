#include "compare/alignment/alignment_merging.h"

#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "compare/alignment/weights.h"

namespace onnxcmp {
namespace {

// One side seen from the other, so that the same code serves both.
struct MergedSide {
  const StreamIndex& own;
  const StreamIndex& other;
  const std::vector<int>& partner;        // own results' partners
  const std::vector<int>& other_partner;  // the other side's results' partners
  const Csr<int>& paired;                 // own results that have a partner, by content
  const Csr<int>& other_paired;
};

// The input that the partner of a reader of `x` reads in its place.
int PartnerByUses(const MergedSide& side, int x) {
  const int content = StreamIndex::At(side.own.content, x);
  const auto uses = side.own.uses[x];
  for (const Use& use : uses.first(std::min(uses.size(), weights::kMostQueued))) {
    const int output = side.own.first_output(use.node);
    if (output == kNone || StreamIndex::At(side.partner, output) == kNone) continue;
    const int reader = side.other.producer(StreamIndex::At(side.partner, output));
    if (reader == kNone) continue;
    const FewResults& inputs = side.other.node(reader).inputs;
    const auto fits = [&](int input) {
      return input != kNone && StreamIndex::At(side.other.content, input) == content &&
             StreamIndex::At(side.other_partner, input) != kNone;
    };
    const size_t slot = static_cast<size_t>(use.slot);
    if (slot < inputs.size() && fits(inputs[slot])) return inputs[slot];
    for (size_t i = 0; i < std::min(inputs.size(), weights::kMostScored); ++i) {
      if (fits(inputs[i])) return inputs[i];
    }
  }
  return kNone;
}

// The paired result of the same content and the same sort (leaf or not) whose rank among all of
// that content is nearest.
int Nearest(const StreamIndex& index, absl::Span<const int> paired, bool leaf, size_t middle) {
  const auto rank = [&](int r) { return static_cast<size_t>(StreamIndex::At(index.rank, r)); };
  const auto at =
      static_cast<size_t>(std::lower_bound(paired.begin(), paired.end(), middle,
                                           [&](int r, size_t place) { return rank(r) < place; }) -
                          paired.begin());
  const size_t first = at > weights::kMostScored / 2 ? at - weights::kMostScored / 2 : 0;
  const size_t last = std::min(paired.size(), first + weights::kMostScored);
  int best = kNone;
  std::pair<bool, size_t> best_cost;
  for (size_t i = first; i < last; ++i) {
    const size_t apart = std::max(rank(paired[i]), middle) - std::min(rank(paired[i]), middle);
    const std::pair<bool, size_t> cost(index.is_leaf(paired[i]) != leaf, apart);
    if (best == kNone || cost < best_cost) {
      best = paired[i];
      best_cost = cost;
    }
  }
  return best;
}

// True if they are near enough to be one quantity, also for quantized ones.
bool Alike(const MergedSide& side, int own, int other) {
  return StreamIndex::At(side.own.elements, own) == StreamIndex::At(side.other.elements, other) ||
         SketchDistance(side.own.fingerprint(own), side.other.fingerprint(other)) <=
             weights::kAlike;
}

int SharedPartner(const MergedSide& side, int x, const std::vector<int>& shared) {
  const auto partner_of = [&](int own) {
    const int partner = StreamIndex::At(side.partner, own);
    return partner != kNone ? partner : StreamIndex::At(shared, own);
  };
  // A copy shares the partner of its source, also if its type is wider. A rounded copy is a step of
  // its own.
  const int root = side.own.root(x);
  if (root != x &&
      (StreamIndex::At(side.own.content, root) == StreamIndex::At(side.own.content, x) ||
       SketchDistance(side.own.fingerprint(root), side.own.fingerprint(x)) == 0)) {
    const int partner = partner_of(root);
    if (partner != kNone) return partner;
  }
  const int by_uses = PartnerByUses(side, x);
  if (by_uses != kNone) return by_uses;
  const int content = StreamIndex::At(side.own.content, x);
  const size_t rank = static_cast<size_t>(StreamIndex::At(side.own.rank, x));
  const auto own_equals = side.own.of_content[content];
  const auto other_equals = side.other.of_content[content];
  const bool leaf = side.own.is_leaf(x);
  const int found = Nearest(side.other, side.other_paired[content], leaf,
                            rank * other_equals.size() / own_equals.size());
  if (found != kNone) return found;
  const int twin = Nearest(side.own, side.paired[content], leaf, rank);
  if (twin == kNone) return kNone;
  // A partner by structure whose values are apart is not shared.
  const int partner = StreamIndex::At(side.partner, twin);
  return Alike(side, x, partner) ? partner : kNone;
}

Csr<int> PairedByContent(const StreamIndex& index, const std::vector<int>& partner, int contents) {
  std::vector<std::pair<int, int>> paired;
  for (int r = 0; r < index.size(); ++r) {
    if (index.is_output_row(r) || StreamIndex::At(partner, r) == kNone) continue;
    paired.push_back({StreamIndex::At(index.content, r), r});
  }
  return Csr<int>(static_cast<size_t>(contents), paired);
}

std::vector<int> SharedOf(const MergedSide& side) {
  std::vector<int> shared(static_cast<size_t>(side.own.size()), kNone);
  for (int x = 0; x < side.own.size(); ++x) {
    if (StreamIndex::At(side.partner, x) != kNone || side.own.is_output_row(x)) continue;
    shared[static_cast<size_t>(x)] = SharedPartner(side, x, shared);
  }
  return shared;
}

}  // namespace

SharedPartners FindSharedPartners(const Pairing& pairing) {
  const AlignmentIndex& index = pairing.index();
  const Csr<int> left = PairedByContent(index.left, pairing.left(), index.contents);
  const Csr<int> right = PairedByContent(index.right, pairing.right(), index.contents);
  return {
      .of_left = SharedOf({index.left, index.right, pairing.left(), pairing.right(), left, right}),
      .of_right =
          SharedOf({index.right, index.left, pairing.right(), pairing.left(), right, left})};
}

}  // namespace onnxcmp
