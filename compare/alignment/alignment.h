// Which result of the left stream is the same quantity as which of the right, whatever was renamed,
// reordered, fused, folded, copied or cast between them. docs/alignment.md tells how.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/pair/per_side.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

enum class Mark : uint16_t {
  kNothing = 0,
  kMoved = 1,        // out of the order that most pairs have
  kFused = 2,        // several results of one side became one operator of the other
  kFolded = 4,       // a computed result against an initializer, an input or a constant
  kMerged = 8,       // the partner has another partner too
  kCast = 16,        // other element type
  kReshaped = 32,    // the same elements in the same order, other shape
  kTransposed = 64,  // the same elements in another order
  kRepaired = 128,   // paired by the search for causes, which proved it by what agrees after it
  kNamed = 256,      // paired by its name alone: recorded_pairs.h
  kPlaced = 512,     // paired because it is the only one of its shape between paired neighbours
  kGiven = 1024,     // paired because the user says so
  kEntry = 2048,     // one entry of the other's first axis
};
using Marks = uint16_t;
inline bool Has(Marks marks, Mark mark) { return (marks & static_cast<Marks>(mark)) != 0; }

// A row of the table. The last of `left` and the last of `right` are the pair; those before were
// absorbed by it: inner results of a fused region, what was folded. One side may be empty.
struct AlignedRow {
  FewResults left;  // indices into the streams' results
  FewResults right;
  Marks marks = 0;

  bool paired() const { return !left.empty() && !right.empty(); }
};

// A recorded result that the other side lacks and that tells how one of its results came about.
struct DerivedResult {
  SideId side = SideId::kLeft;  // of the recorded one
  int result = kNone;
  int of = kNone;   // of the other side
  std::string how;  // "before a folded BatchNormalization"
};

struct Alignment {
  // In the left stream's order; rows of the right alone come after the row of the result before
  // them in the right stream's order.
  std::vector<AlignedRow> rows;
  // By result: its partner, kNone if it has none. Merged results name the partner they share.
  std::vector<int> left_to_right;
  std::vector<int> right_to_left;
  // Left, right: paired by structure although the values are apart, and taken back because what is
  // after it agrees. Hints for the search of causes, not pairs to show: they are not in `rows`.
  std::vector<std::pair<int, int>> tentative;
  // The right model lists its nodes in quite another order: nothing is marked as moved.
  bool reordered = false;
  std::vector<DerivedResult> derived;

  // By result of a side.
  const std::vector<int>& partners(SideId side) const {
    return side == SideId::kLeft ? left_to_right : right_to_left;
  }
};

// By result of a side: its partner if that has the elements in the same order, else kNone.
std::vector<int> PartnersInOrder(const Alignment& alignment, SideId side);

// Near-linear in results and edges. Deterministic.
Alignment Align(const ResultStream& left, const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_H_
