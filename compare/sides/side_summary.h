// What a reader wants to know of a side before its rows.
#ifndef ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_
#define ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// One side in a line: what a reader wants to know of a model before its rows.
struct SideSummary {
  std::string source;
  std::string ran_in;  // "onnxruntime 1.32.0 CPU"; "": in our interpreter, or nowhere
  int64_t bytes = 0;   // of the file
  int64_t nodes = 0;
  int64_t operators = 0;  // distinct ones
  int64_t initializers = 0;
  OpsetImports opsets;             // of the domains that nodes are from
  std::vector<std::string> notes;  // from loading
  absl::Status status;             // why its run ended early
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_SIDE_SUMMARY_H_
