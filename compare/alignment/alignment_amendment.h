// Pairs that were found after aligning: the search for causes proves some by what comes to agree
// after them, names speak for others.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/alignment/alignment.h"
#include "compare/pair/per_side.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// A pair, and how it came about.
struct AddedPair {
  int left = kNone;
  int right = kNone;
  Mark how = Mark::kRepaired;
  // The result of this side has a partner already and keeps it: the row is merged with that.
  std::optional<SideId> shared = std::nullopt;
};

// An alignment with `pairs` in it, each with its mark and in the place of the left's row; and by
// row of it, the row it was before, kNone for those that are new. A pair of which one result is
// absorbed, or that is there already, is left out. What was paired with another result
// before stands alone afterwards, and so does what that pair had absorbed.
struct Amended {
  Alignment alignment;
  std::vector<int> before;
};
Amended Amend(const Alignment& alignment, const std::vector<AddedPair>& pairs,
              const ResultStream& left, const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_
