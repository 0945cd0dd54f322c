// Selects the rows of a comparison that a reader should see first: a screenful.
#ifndef ONNXCMP_REPORTS_WORDS_ROW_SELECTION_H_
#define ONNXCMP_REPORTS_WORDS_ROW_SELECTION_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "compare/outputs/compared_row.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Rows are numbered as in Comparison::rows.
struct RowFacts {
  std::vector<int> of_left;      // by result: its own row, or kNone
  std::vector<int> of_right;     // the same
  std::vector<int> cause;        // by row: number of the cause, or kNone
  std::vector<bool> downstream;  // by row: true after a cause, which explains its difference
};

RowFacts FactsOf(const Comparison& comparison);

// By row. Takes differing rows, causes first, then outputs, then changes in structure, then the
// first rows of each kind that are only near; never more than `most` rows. Kinds with few rows are
// shown whole.
std::vector<bool> SelectRows(const Comparison& comparison, const RowFacts& facts, int most);

// The iteration of a path, by its outermost loop: "a/loop" and 3 for "a/loop[3]/b". False if there
// is none.
bool IterationOf(absl::string_view path, absl::string_view* loop, int64_t* iteration);

// The path of a row: that of its left result, or of its right's.
absl::string_view PathOf(const Comparison& comparison, const ComparedRow& row);

// True if a row of one side is a further output of a node that has an output on both sides: mostly
// unused statistics.
bool IsFurtherOutput(const Comparison& comparison, const ComparedRow& row);

// True for conversions, copies and shapes, which say little about a model.
bool IsTrifle(const StreamResult& result, const ResultStream& stream);

// The result that represents a row: its left one, or its right's if it has none.
const StreamResult& FaceOf(const Comparison& comparison, const ComparedRow& row);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_ROW_SELECTION_H_
