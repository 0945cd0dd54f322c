// Functions that hide others where files are compiled in batches.
#ifndef ONNXCMP_TESTS_ARCHITECTURE_HIDDEN_FUNCTIONS_H_
#define ONNXCMP_TESTS_ARCHITECTURE_HIDDEN_FUNCTIONS_H_

#include <map>
#include <string>
#include <vector>

namespace onnxcmp {

struct HiddenFunction {
  std::string name;
  std::string hider;   // the file whose unnamed namespace has a function of that name
  std::string caller;  // the first file that calls the one of a header

  auto operator<=>(const HiddenFunction&) const = default;
};

// A file with such a function, before one that calls what its header declares: in a batch of both
// the call means the first. Where the arguments do not convert it does not compile, else another
// function runs. Files of one folder of the project's root may meet. `code` is CodeOf the files, by
// path.
std::vector<HiddenFunction> HiddenFunctions(const std::map<std::string, std::string>& code,
                                            const std::map<std::string, std::string>& files);

}  // namespace onnxcmp

#endif  // ONNXCMP_TESTS_ARCHITECTURE_HIDDEN_FUNCTIONS_H_
