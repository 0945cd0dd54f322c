// Pairs the results of two streams by the rules of the classic table.
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_ALIGNMENT_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_ALIGNMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tools/classic/classic_row.h"

namespace onnxcmp {

// A cell of the path: row `left` of the first stream, row `right` of the second, 0-based. If a cell
// follows its predecessor diagonally, the two rows are a pair; if only one number advances, the row
// it advances to stands alone.
struct ClassicStep {
  int64_t left;
  int64_t right;
  friend bool operator==(const ClassicStep&, const ClassicStep&) = default;
};

// The cheapest path from (-1, -1), which is not in the result, to the last rows of both: a pair
// costs its distance, a row alone 1000. Among paths of equal cost, a cell prefers the pair to the
// step from above (left advances), and that to the step from the left. Only cells with i - lag <= j
// < i + lag, lag = max(50, |rows of left - rows of right| + 1), exist, so both streams start with a
// pair. If one stream is empty, all rows of the other stand alone.
//
// Takes time in proportion to the band's cells, and memory of two bits a cell. ResourceExhausted if
// there is not enough memory.
absl::StatusOr<std::vector<ClassicStep>> AlignClassic(absl::Span<const ClassicRow> left,
                                                      absl::Span<const ClassicRow> right);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_ALIGNMENT_H_
