// The edits of a mended model as a program in Python.
#ifndef ONNXCMP_TOOLS_FIX_FIX_SCRIPT_H_
#define ONNXCMP_TOOLS_FIX_FIX_SCRIPT_H_

#include <string>

#include "tools/fix/fix_report.h"

namespace onnxcmp {

// A script that needs Python's onnx alone and applies the edits to a model, by default the one of
// that path.
std::string FixScript(const FixReport& report, const std::string& model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_FIX_SCRIPT_H_
