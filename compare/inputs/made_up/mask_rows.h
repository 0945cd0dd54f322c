// Which elements of masks count.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_MASK_ROWS_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_MASK_ROWS_H_

#include <cstdint>

#include "compare/inputs/made_up/regime.h"

namespace onnxcmp {

// Rows of ones and zeros: never none that counts, different from row to row. In the first set they
// end in zeros; in the second they begin with them, as decoders are batched, and have a hole; then
// there are rows of each kind.
class MaskRows {
 public:
  MaskRows(int64_t length, Regime regime, int set);

  // Whether element i of all rows is one that counts.
  bool Counts(int64_t i) const;

 private:
  enum class Form : uint8_t { kAll, kOne, kEnd, kBegin, kHole, kBeginAndHole };

  Form FormOf(int64_t row) const;
  // How many elements of a row count that begins or ends with others.
  int64_t CountOf(int64_t row) const;

  int64_t length_;
  Regime regime_;
  int set_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_MASK_ROWS_H_
