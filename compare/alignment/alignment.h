// Finds which results of the left and the right stream are the same quantity, even if they were
// renamed, reordered, fused, folded, copied or cast. docs/alignment.md tells how.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

enum class Mark : uint16_t {
  kNothing = 0,
  kMoved = 1,        // out of the order of most pairs
  kFused = 2,        // several results of one side became one operator of the other
  kFolded = 4,       // a computed result against an initializer, an input or a constant
  kMerged = 8,       // the partner has another partner, too
  kCast = 16,        // other element type
  kReshaped = 32,    // the same elements in the same order, other shape
  kTransposed = 64,  // the same elements in another order
  kRepaired = 128,   // paired by the search for causes; results after it that agree confirm it
  kNamed = 256,      // paired by its name alone: recorded/names_and_values.h
  kPlaced = 512,     // paired because it is the only one of its shape between paired neighbours
  kGiven = 1024,     // paired because the user says so
  kEntry = 2048,     // one entry along the other's first axis
};
using Marks = uint16_t;

enum class Rule : uint8_t;  // by which results are paired: rules.h

inline bool Has(Marks marks, Mark mark) { return (marks & static_cast<Marks>(mark)) != 0; }

// A row of the table. The last of `left` and the last of `right` are the pair, which absorbed the
// results before them: inner results of a fused region, folded results. One side may be empty.
struct AlignedRow {
  FewResults left;  // indices into the streams' results
  FewResults right;
  Marks marks = 0;
  Rule rule{};  // that paired them

  bool paired() const { return !left.empty() && !right.empty(); }
};

// A recorded result that the other side lacks and that explains how one of its results is computed.
struct DerivedResult {
  SideId side = SideId::kLeft;  // the recorded result's side
  int result = kNone;
  int of = kNone;   // the other side's result, if there is one
  std::string how;  // "before a folded BatchNormalization"; empty: it should explain one, does not
};

struct Claim;

struct Alignment {
  // In the left stream's order; rows of the right alone come after the row of their predecessor in
  // the right stream.
  std::vector<AlignedRow> rows;
  // By result: its partner, kNone if it has none. Merged results name the partner that they share.
  std::vector<int> left_to_right;
  std::vector<int> right_to_left;
  // Left and right: structural pairs withdrawn because their consumers agree. Hints for the search
  // for causes; not in `rows`.
  std::vector<std::pair<int, int>> tentative;
  // The right model lists its nodes in a very different order: nothing is marked as moved.
  bool reordered = false;
  std::vector<DerivedResult> derived;
  // Claims on recorded results, settled; null without a recording.
  std::shared_ptr<const std::vector<Claim>> claims;

  // By result of a side: its partner.
  const std::vector<int>& partners(SideId side) const {
    return side == SideId::kLeft ? left_to_right : right_to_left;
  }
};

// By result of a side: its partner if that has the elements in the same order, else kNone.
std::vector<int> PartnersInOrder(const Alignment& alignment, SideId side);

// The aligner's claims on two results, for who asks why they are paired or not.
struct ClaimLog;

// Near-linear in results and edges, deterministic; by forms if there are any. `log` may be null.
Alignment Align(const ResultStream& left, const ResultStream& right, ClaimLog* log = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_
