// A script that shows a cause with a runtime and NumPy alone, for people who do not have onnxcmp.
#ifndef ONNXCMP_TOOLS_REPRO_REPRO_SCRIPT_H_
#define ONNXCMP_TOOLS_REPRO_REPRO_SCRIPT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compare/causes/repro.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

inline constexpr char kReproScript[] = "repro.py";
inline constexpr char kReproArrays[] = "arrays";

// Writes FOLDER/repro.py and FOLDER/arrays/N.npy: the inputs in order, then what the left gives.
// `runtime`: where the right ran, as a user names it; "": onnxruntime stands in for our
// interpreter. `what`: the cause in a line. Nothing is written where a value is no tensor that
// NumPy has, or for a runtime that RuntimeCodeOf() does not know.
absl::Status WriteReproScript(const std::string& folder, const Repro& repro,
                              const Tolerance& tolerance, const std::string& runtime,
                              absl::string_view what);

// True if a file of the folder of arrays is one of ours.
bool IsReproArray(absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REPRO_REPRO_SCRIPT_H_
