// From two streams to rows. Fingerprints and graphs go in; elements are never read. The stages have
// the numbers of docs/alignment.md; weights.h has their thresholds.
//
//      left stream   right stream                       IsLess decides which comes first
//            \           /
//           AlignmentIndex                              contents, copies, leaves, readers
//                  |
//   1       ValueEvidence                               near lists: for a content, near ones
//                  |
//           AlignmentStages                             the surest pairs first, none withdrawn
//   2       inputs            \  paired at once:        equal content and name
//   3       output rows       /                         equal, near, named alike, in order
//   4       anchors           \                         equal, rich, once on either side
//   5       surroundings       |                        neighbours of pairs
//   6       groups             |  by values             the i-th of a content with the i-th
//   7       near               |                        free and near
//   8       elements          /                         same elements, other shape or order
//   9       inputs by name                              fed with other values
//  10       structure         \                         same operator, paired neighbours
//  11       leaves and copies  |                        copies may now go with any result
//  12       settling           |  by structure          unless a rival scores as much
//  13       gaps               |                        alone between the same pairs
//  14       resized           /                         other sizes, same graph
//                  |
//                  |      4 to 14, but for 9, push candidates:
//                  |      PairQueue  -- best score first -->  Pairing
//                  |          ^                                  |
//                  |          +---- Spread: inputs, readers -----+
//                  v
//  15       TakeBackReconverging, MoveToNearer          withdraws pairs that were none
//  16       FindSharedPartners                          merged
//  17       FindRegions                                 fused, folded
//  18       FindMoves, MakeRows                         moved; the rows in order
//                  |
//              Alignment
//
//  19       recordings: after Align(), in compare/stages/align_sides.cc
#include "compare/alignment/alignment.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "compare/alignment/alignment_merging.h"
#include "compare/alignment/alignment_reconvergence.h"
#include "compare/alignment/alignment_regions.h"
#include "compare/alignment/alignment_rows.h"
#include "compare/alignment/alignment_stages.h"
#include "compare/alignment/claim_log.h"
#include "record/streams/common_form.h"

namespace onnxcmp {
namespace {

// An order of streams that does not depend on names. The alignment always starts from the lesser
// stream, so that exchanging the sides mirrors it however ties are broken.
bool IsLess(const ResultStream& a, const ResultStream& b) {
  if (a.results.size() != b.results.size()) return a.results.size() > b.results.size();
  const auto key = [](const StreamResult& r) {
    return std::tuple(r.fingerprint.content.low, r.kind, r.node, r.slot);
  };
  const auto [x, y] =
      std::mismatch(a.results.begin(), a.results.end(), b.results.begin(),
                    [&](const auto& left, const auto& right) { return key(left) == key(right); });
  return x != a.results.end() && key(*x) < key(*y);
}

// True if two models gave the same results in the same way, under the same names.
bool AreEqual(const ResultStream& left, const ResultStream& right) {
  const auto key = [](const StreamResult& r) {
    return std::tie(r.fingerprint.content, r.kind, r.node, r.slot, r.source, r.computation, r.name,
                    r.path);
  };
  return !left.recorded && !right.recorded && left.results.size() == right.results.size() &&
         std::equal(left.results.begin(), left.results.end(), right.results.begin(),
                    [&](const auto& a, const auto& b) { return key(a) == key(b); }) &&
         left.nodes == right.nodes;
}

// Pairs each result with the one at its position.
Alignment Straight(int results) {
  Alignment alignment;
  alignment.rows.reserve(Index(results));
  for (int i = 0; i < results; ++i) alignment.rows.push_back({{i}, {i}});
  alignment.left_to_right.resize(Index(results));
  std::iota(alignment.left_to_right.begin(), alignment.left_to_right.end(), 0);
  alignment.right_to_left = alignment.left_to_right;
  return alignment;
}

// By the canonical forms of results; casts and moved channels are still marked.
Alignment AlignForms(const ResultStream& left, const ResultStream& right, ClaimLog* log) {
  Alignment alignment = Align(InCommonForm(left), InCommonForm(right), log);
  for (AlignedRow& row : alignment.rows) {
    if (row.paired() && left.results[Index(row.left.back())].dtype !=
                            right.results[Index(row.right.back())].dtype) {
      row.marks = static_cast<Marks>(row.marks | static_cast<Marks>(Mark::kCast));
    }
  }
  return alignment;
}

}  // namespace

Alignment Align(const ResultStream& left, const ResultStream& right, ClaimLog* log) {
  const bool forms = !left.in_form && !right.in_form && (HasForms(left) || HasForms(right));
  if (forms) return AlignForms(left, right, log);
  if (AreEqual(left, right)) return Straight(static_cast<int>(left.results.size()));
  const bool mirrored = IsLess(right, left);
  const AlignmentIndex index(mirrored ? right : left, mirrored ? left : right);
  Pairing pairing(index);
  ValueEvidence evidence(index);
  if (log != nullptr && mirrored) std::swap(log->left, log->right);
  AlignmentStages(pairing, evidence, log).Run();
  std::vector<std::pair<int, int>> tentative = TakeBackReconverging(pairing, evidence);
  MoveToNearer(pairing);
  const SharedPartners shared = FindSharedPartners(pairing);
  const Regions regions = FindRegions(pairing, evidence, shared);
  const Moves moves = FindMoves(pairing);
  Alignment alignment = MakeRows({pairing, evidence, shared, regions, moves}, mirrored);
  if (mirrored) {
    for (auto& [a, b] : tentative) std::swap(a, b);
    std::sort(tentative.begin(), tentative.end());
  }
  alignment.tentative = std::move(tentative);
  if (log != nullptr) log->Close(pairing.left(), mirrored);
  return alignment;
}

std::vector<int> PartnersInOrder(const Alignment& alignment, SideId side) {
  std::vector<int> partners = alignment.partners(side);
  for (const AlignedRow& row : alignment.rows) {
    if (!row.paired() || !Has(row.marks, Mark::kTransposed)) continue;
    partners[Index(OfSide(row, side).back())] = kNone;
  }
  return partners;
}

}  // namespace onnxcmp
