// The log of a bisection as a file, from which it goes on where it was interrupted.
#ifndef ONNXCMP_TOOLS_BISECT_BISECT_LOG_H_
#define ONNXCMP_TOOLS_BISECT_BISECT_LOG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/bisect/bisection.h"

namespace onnxcmp {

// A line for each answer, "good 3 pass_3.onnx<TAB>same", below lines that say what it is of.
// `task`: all that the answers depend on: candidates, commands, options.
std::string BisectLogText(const std::string& task, const Bisection& bisection);

// The answers in such a text, which a user may have edited; the last one for a candidate counts.
// FailedPrecondition for another task, InvalidArgument for a line that is none.
absl::StatusOr<std::vector<BisectTrial>> ReadBisectLog(absl::string_view text,
                                                       const std::string& task,
                                                       const std::vector<std::string>& candidates);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BISECT_BISECT_LOG_H_
