// Which Python has a runtime.
#ifndef ONNXCMP_COMPARE_RUNTIMES_FIND_PYTHON_H_
#define ONNXCMP_COMPARE_RUNTIMES_FIND_PYTHON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace onnxcmp {

struct FoundPython {
  std::string python;
  std::string version;  // the runtime's
};

// The first interpreter that has what an adapter imports: ONNXCMP_PYTHON, if that is set, and no
// other; else `preferred`, unless that is empty, and each python3 in PATH. `adapters`: the folder
// of ours; `adapter`: the name of one of them, or a file. NotFound, with what to install, if none
// has it.
absl::StatusOr<FoundPython> FindPython(const std::string& adapters, const std::string& adapter,
                                       const std::string& preferred = "");

// The names of our adapters, sorted.
std::vector<std::string> AdapterNames(const std::string& adapters);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RUNTIMES_FIND_PYTHON_H_
