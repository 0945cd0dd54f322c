// A mended model as plain data for reports.
#ifndef ONNXCMP_TOOLS_FIX_FIX_REPORT_H_
#define ONNXCMP_TOOLS_FIX_FIX_REPORT_H_

#include <string>
#include <vector>

#include "record/base/per_side.h"
#include "tools/fix/edit.h"

namespace onnxcmp {

// An edit that was kept, with the difference of the outputs before it and after it: relative to
// their size, infinite where they cannot be measured.
struct FixStep {
  Edit edit;
  std::string result;  // the right's result that the cause is named after
  std::string cause;   // the cause that it takes away, in words
  double before = 0;
  double after = 0;
};

struct FixReport {
  SideId side = SideId::kRight;  // the model that was mended
  std::vector<FixStep> steps;
  // One for each mistake among the causes of the pair as it was, in their order: "sum: mending it
  // makes the outputs agree", "sum: mending it gains nothing".
  std::vector<std::string> certificates;
  bool agrees = false;             // the outputs agree afterwards, on the inputs of the comparison
  bool nothing_to_mend = false;    // they agreed before
  bool inlined = false;            // the model's functions were inlined before the edits
  std::vector<std::string> notes;  // causes that remain, or why nothing could be tried
  // Further tests of the mended model: "4 sets of made-up inputs agree", and true if nothing
  // of it speaks against the model.
  std::vector<std::string> checks;
  bool verified = false;
  std::string file;  // where the model was written; "": nowhere
  int tried = 0;     // edits
};

// The report in lines, the edits indented: for the table and for Markdown.
std::vector<std::string> FixLines(const FixReport& report);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_FIX_REPORT_H_
