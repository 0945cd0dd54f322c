// Calls that are safe before the constructors of libraries' global objects have run.
#ifndef ONNXCMP_CLI_PROCESS_FIRST_CALLS_H_
#define ONNXCMP_CLI_PROCESS_FIRST_CALLS_H_

namespace onnxcmp::cli {

// To standard error; there is no way to report a failure.
void WriteFirst(const char* text);

[[noreturn]] void EndAtOnce(int status);

// Packages have the program once more beside this one, for processors without AVX2. Returns if
// there is none.
void RunOlderProgram(char** arguments, char** environment);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_FIRST_CALLS_H_
