// Parts of two models that are compared: the smallest that differ, and the halves at a row.
#ifndef ONNXCMP_CLI_PARTS_PAIR_PARTS_H_
#define ONNXCMP_CLI_PARTS_PAIR_PARTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/compare_arguments.h"
#include "cli/process/interruption.h"

namespace onnxcmp::cli {

// Writes left.onnx and right.onnx, the smallest parts of the sides that still differ, and their
// inputs to a folder. Returns a summary.
absl::StatusOr<std::string> WriteReducedPair(const CompareArguments& arguments,
                                             const std::string& folder, Interruption& interruption);

// Writes what comes before a row of the comparison and what comes after it, both of both sides, to
// FOLDER/before and FOLDER/after. What comes after is fed with the left's value. `row`: as
// FindRow() takes it.
absl::StatusOr<std::string> WriteHalves(const CompareArguments& arguments, const std::string& row,
                                        const std::string& folder, Interruption& interruption);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PARTS_PAIR_PARTS_H_
