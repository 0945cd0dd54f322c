// Runs the program that was built, as a shell would.
#ifndef ONNXCMP_TESTS_CLI_PROGRAM_H_
#define ONNXCMP_TESTS_CLI_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

namespace onnxcmp::testing {

struct Outcome {
  int status = -1;   // as the program exits with it; -signal if a signal ended it
  std::string out;   // standard output
  std::string err;   // standard error
  int64_t peak = 0;  // bytes that it held at most
};

// onnxcmp ARGUMENT...
Outcome Onnxcmp(const std::vector<std::string>& arguments);

// The same, ended by a signal after some milliseconds.
Outcome OnnxcmpInterrupted(const std::vector<std::string>& arguments, int signal, int milliseconds);

// A shell's command line in which $ONNXCMP is the program.
Outcome Shell(const std::string& command);

// Writes a file and returns its path.
std::string WriteFile(const std::string& path, const std::string& text);
std::string ReadFile(const std::string& path);

std::vector<std::string> Lines(const std::string& text);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_CLI_PROGRAM_H_
