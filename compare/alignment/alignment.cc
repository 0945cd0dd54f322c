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

}  // namespace

Alignment Align(const ResultStream& left, const ResultStream& right) {
  if (AreEqual(left, right)) return Straight(static_cast<int>(left.results.size()));
  const bool mirrored = IsLess(right, left);
  const AlignmentIndex index(mirrored ? right : left, mirrored ? left : right);
  Pairing pairing(index);
  ValueEvidence evidence(index);
  AlignmentStages(pairing, evidence).Run();
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
