// The classic table as text.
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_TABLE_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_TABLE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/classic/classic_alignment.h"
#include "tools/classic/classic_row.h"

namespace onnxcmp {

struct ClassicTableOptions {
  int column_size = 60;
  // Rows hold their values: a pair with equally many elements on both sides ends with its errors.
  bool keep_tensors = false;
};

// Lines joined by newlines, none at the end.
std::string ClassicTable(absl::Span<const ClassicRow> left, absl::Span<const ClassicRow> right,
                         absl::Span<const ClassicStep> steps, const ClassicTableOptions& options);

// True if every line of the table is `=`: all rows are pairs of distance 0.
bool AllEqual(absl::Span<const ClassicRow> left, absl::Span<const ClassicRow> right,
              absl::Span<const ClassicStep> steps);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_TABLE_H_
