// Compiled for any processor of its architecture, as main.cc is.
#include "cli/process/first_calls.h"

#include <cstdio>
#include <cstdlib>

namespace onnxcmp::cli {

void WriteFirst(const char* text) { std::fputs(text, stderr); }

void EndAtOnce(int status) { std::_Exit(status); }

void RunOlderProgram(char** /*arguments*/, char** /*environment*/) {}

}  // namespace onnxcmp::cli
