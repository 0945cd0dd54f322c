// The long arrays of a report as JSON, results of both sides and rows, a line for each: all of it
// for programs, or as much as a page shows.
#ifndef ONNXCMP_REPORTS_JSON_LINES_H_
#define ONNXCMP_REPORTS_JSON_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "compare/outcome/comparison.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/value_difference.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct JsonLines {
  std::string left, right, rows;
};

// All that is known.
JsonLines AllLines(const Comparison& comparison);
// The same of the rows alone, and of one side's results.
std::string RowLines(const Comparison& comparison);
std::string ResultLines(const ResultStream& side);

// Detail of a page, which leaves some out to be smaller.
struct PageDetail {
  size_t rows_with_elements = 1000;  // how many have their worst elements, those that differ first
  bool statistics = true;            // statistics of results
  int64_t picture_bytes = 0;         // for elements and maps of the rows that matter most
};

// How many rows of a page have a detail, and how many could.
struct PageCounts {
  size_t elements = 0, all_elements = 0;  // rows with their worst elements
  size_t pictures = 0, all_pictures = 0;  // rows with their values
};

// Stand for the arrays of a page; no JSON has such characters.
constexpr char kLeftOfPage[] = "\x01", kRightOfPage[] = "\x02", kRowsOfPage[] = "\x03";

// Appends `around`, the report with these signs in it, and in their place the arrays: numbers have
// fewer digits, members that say nothing are left out, and so is what the detail does not ask for.
// The arrays are megabytes: they are written once, where they stay. `counts` may be null.
void AppendPage(absl::string_view around, const Comparison& comparison, const PageDetail& detail,
                PageCounts* counts, std::string* out);

// `diff` as an object.
std::string DifferenceJson(const TensorDifference& difference);
std::string DifferenceJson(const ValueDifference& difference);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_LINES_H_
