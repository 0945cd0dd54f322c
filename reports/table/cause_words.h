// A cause as a reader takes it in: what it is, then where, why, and what shows or mends it.
#ifndef ONNXCMP_REPORTS_TABLE_CAUSE_WORDS_H_
#define ONNXCMP_REPORTS_TABLE_CAUSE_WORDS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "compare/causes/cause.h"
#include "compare/outcome/comparison.h"
#include "reports/table/table_options.h"

namespace onnxcmp {

struct CauseWords {
  std::string what;   // "Softmax weights | val_7: attribute axis: -1 | 1"
  std::string where;  // "in decoder.layers.0, model.py:12; read by MatMul context"; may be empty
  std::string why;    // "on the left's own inputs the right differs by up to 0.84"; may be empty
  std::string help;   // "--explain 14 shows the pair in depth"; may be empty
};

CauseWords WordsOf(const Comparison& comparison, const Cause& cause, const TableOptions& options);

// The text of a cause with how far it is off behind what is different: an attribute says more than
// a distance.
std::string TellingFirst(absl::string_view text);

// The row of a cause's pair; -1: none.
int RowOfCause(const Comparison& comparison, const Cause& cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_CAUSE_WORDS_H_
