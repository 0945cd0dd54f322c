// The Python that has a runtime.
#ifndef ONNXCMP_RECORD_RUNTIMES_FIND_PYTHON_H_
#define ONNXCMP_RECORD_RUNTIMES_FIND_PYTHON_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnxcmp {

struct FoundPython {
  std::string python;
  std::string version;  // the runtime's
};

// The first interpreter that has what an adapter imports. `adapters`: the folder of ours;
// `adapter`: the name of one of them, or a file. NotFound, with what to install, if none has it.
absl::StatusOr<FoundPython> FindPython(const std::string& adapters, const std::string& adapter);

// Interpreters that may have it, in order: ONNXCMP_PYTHON, if that is set, and no other; else
// `preferred`, unless that is empty, and each python3 in PATH. NotFound for an adapter that is no
// file and none of ours.
absl::StatusOr<std::vector<std::string>> PythonsFor(const std::string& adapters,
                                                    const std::string& adapter,
                                                    const std::string& preferred);

// The reasons why no interpreter has the modules that an adapter imports.
struct MissingPython {
  std::vector<std::string> packages;  // that would have it
  std::vector<std::string> troubles;  // of interpreters that gave no answer

  // NotFound, with what to install.
  absl::Status Error(const std::string& adapter, const std::vector<std::string>& asked) const;
};

// The names of our adapters, sorted.
std::vector<std::string> AdapterNames(const std::string& adapters);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_FIND_PYTHON_H_
