// Compiled for any processor of its architecture, as processor.cc is.
#include <unistd.h>

#include <cstring>

#include "cli/process/processor.h"
#include "cli/program.h"

namespace {

void WriteError(const char* text) {
  // There is no way to report a failure here.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

// Runs before the constructors of libraries' global objects, which may use instructions that the
// processor lacks.
[[gnu::constructor(101)]] void CheckProcessor() {
  char missing[128];
  using namespace onnxcmp::cli;  // NOLINT(google-build-using-namespace)
  if (!NamesOfMissing(NeededInstructions(), PresentInstructions(), missing, sizeof(missing))) {
    return;
  }
  WriteError("onnxcmp: this processor lacks what this build needs: ");
  WriteError(missing);
  WriteError("; build with -DONNXCMP_ARCH=x86-64 for any processor\n");
  _exit(2);
}

}  // namespace

int main(int argc, char** argv) { return onnxcmp::cli::RunProgram(argc, argv); }
