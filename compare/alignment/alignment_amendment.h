// Pairs that were found after aligning: by the search for causes, which confirms them by later
// results that agree, or by names.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/alignment/alignment.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A pair, and how it was found.
struct AddedPair {
  int left = kNone;
  int right = kNone;
  Mark how = Mark::kRepaired;
  // The result of this side keeps its existing partner, so the row is merged with that one's.
  std::optional<SideId> shared = std::nullopt;
};

// An alignment with `pairs` added, each with its mark and at the place of the left's row; and by
// row of it, the row it was before, kNone for new ones. A pair is left out if it exists already or
// if one of its results is absorbed. Former partners stand alone afterwards, and so do results that
// their pair had absorbed.
struct Amended {
  Alignment alignment;
  std::vector<int> before;
};
Amended Amend(const Alignment& alignment, const std::vector<AddedPair>& pairs,
              const ResultStream& left, const ResultStream& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_AMENDMENT_H_
