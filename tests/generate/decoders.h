// Decoders for tests of onnxcmp generate, and what it reports of them.
#ifndef ONNXCMP_TESTS_GENERATE_DECODERS_H_
#define ONNXCMP_TESTS_GENERATE_DECODERS_H_

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace onnxcmp::testing {

// The path of testdata/generate/NAME.onnxtxt.
std::string Model(const std::string& name);

// A copy of it, or of a file, in which pieces of the text are exchanged; the pieces have to be
// there. Its name is that of the test and `suffix`.
std::string Changed(const std::string& name, const std::string& from, const std::string& to);
std::string ChangedBy(const std::string& name, const std::string& suffix,
                      const std::vector<std::pair<std::string, std::string>>& changes);

// The JSON of onnxcmp generate, whose exit status has to be that of the process.
nlohmann::json Report(std::vector<std::string> arguments);

// The outcome of a property by its name.
nlohmann::json PropertyOf(const nlohmann::json& report, const std::string& name);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_GENERATE_DECODERS_H_
