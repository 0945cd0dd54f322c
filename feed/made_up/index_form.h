// How the row of a table follows from an id that is computed with before it selects the row.
#ifndef ONNXCMP_FEED_MADE_UP_INDEX_FORM_H_
#define ONNXCMP_FEED_MADE_UP_INDEX_FORM_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "evaluator/model/model.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// Adds a sum, difference, product or quotient with a constant to gain * x + offset.
void AddStep(const Node& node, double number, bool constant_first, double* gain, double* offset);

// The row is gain * id + offset, then the remainder by `modulo`; of a sum with another input's it
// is a part alone.
struct IndexForm {
  enum class Part : uint8_t { kWhole, kLowDigit, kUpperHalf, kLowerHalf };

  double gain = 1;
  double offset = 0;
  int64_t modulo = 0;  // 0: no remainder is taken
  Part part = Part::kWhole;
  int64_t digits = 1;  // of kLowDigit: the factor of the other input

  // An id that selects the row, together with the other input's id; nothing if there is none from
  // 0 on.
  std::optional<int64_t> IdOf(int64_t row) const;
  // The number of ids from 0 on that select a row of that many.
  int64_t IdsFor(int64_t rows) const;
};

// The form of an input that is added to the other slot of `node`: a place of a grid (row * width +
// column), else a half each.
IndexForm IndexOfSum(const GraphScope& scope, const Node& node, size_t slot, IndexForm before);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_INDEX_FORM_H_
