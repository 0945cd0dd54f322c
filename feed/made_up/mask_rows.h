// Elements of masks that count.
#ifndef ONNXCMP_FEED_MADE_UP_MASK_ROWS_H_
#define ONNXCMP_FEED_MADE_UP_MASK_ROWS_H_

#include <cstdint>

#include "feed/made_up/regime.h"

namespace onnxcmp {

// Rows of ones and zeros: each has a one, and they differ from row to row. In the first set they
// end in zeros; in the second they begin with them, as decoders are batched, and have a hole; later
// sets have rows of each kind.
class MaskRows {
 public:
  MaskRows(int64_t length, Regime regime, int set);

  // True if element i of all rows counts.
  bool Counts(int64_t i) const;

 private:
  enum class Form : uint8_t { kAll, kNone, kOne, kEnd, kBegin, kHole, kBeginAndHole };

  Form FormOf(int64_t row) const;
  // Number of elements that count in a row that begins or ends with zeros.
  int64_t CountOf(int64_t row) const;

  int64_t length_;
  Regime regime_;
  int set_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_MASK_ROWS_H_
