// How a runtime runs a model, in Python, for scripts that show a cause without onnxcmp.
#ifndef ONNXCMP_TOOLS_REPRO_RUNTIME_CODE_H_
#define ONNXCMP_TOOLS_REPRO_RUNTIME_CODE_H_

#include <optional>
#include <string>

#include "record/runtimes/runtime_spec.h"

namespace onnxcmp {

struct RuntimeCode {
  std::string name;     // "OpenVINO"
  std::string import;   // "import openvino"
  std::string version;  // an expression
  // The body of run(path, feeds), which returns the model's first output as an array of NumPy. It
  // reads OPTIONS, a dictionary of the runtime's options.
  std::string run;
};

// Nothing for runtimes of which onnxcmp knows only what their adapters do.
std::optional<RuntimeCode> RuntimeCodeOf(const RuntimeSpec& spec);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REPRO_RUNTIME_CODE_H_
