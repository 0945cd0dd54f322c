// The folder of a reduced model: a backend test, the command and a text for the bug report.
#ifndef ONNXCMP_TOOLS_REDUCE_WRITE_REDUCED_H_
#define ONNXCMP_TOOLS_REDUCE_WRITE_REDUCED_H_

#include <string>

#include "absl/status/status.h"
#include "tools/reduce/failure_test.h"
#include "tools/reduce/reduce.h"

namespace onnxcmp {

// In the folder: answers for candidates of an earlier call.
inline constexpr char kReduceJournal[] = "tried.txt";

// OK if the folder does not exist, is empty, or has nothing but what WriteReduced() writes; makes
// it. AlreadyExists names other content.
absl::Status PrepareReducedFolder(const std::string& folder);

// Replaces what is there: model.onnx, test_data_set_0, check.sh, report.md. A moment in which the
// program ends leaves the earlier ones or the new ones.
absl::Status WriteReduced(const std::string& folder, const std::string& model,
                          const Reduced& reduced, FailureTest* test);

// report.md.
std::string ReducedReport(const std::string& model, const Reduced& reduced,
                          const std::string& command);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_WRITE_REDUCED_H_
