// Summary of a side, shown before its rows.
#ifndef ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_
#define ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// One side in a line, for the head of a report.
struct SideSummary {
  std::string source;
  std::string ran_in;   // "onnxruntime 1.32.0 CPU"; "": in our interpreter, or nowhere
  std::string runtime;  // that runtime as a user names it, "onnxruntime:optimization=none"; or ""
  int64_t bytes = 0;    // the file's size
  int64_t nodes = 0;
  int64_t operators = 0;  // distinct ones
  int64_t initializers = 0;
  OpsetImports opsets;             // the domains of the nodes
  std::vector<std::string> notes;  // from loading
  absl::Status status;             // why its run ended early
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_
