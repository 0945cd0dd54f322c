// Compiled for any processor of its architecture, as processor.cc is.
#include "cli/process/first_calls.h"
#include "cli/process/processor.h"
#include "cli/program.h"

namespace {

// Runs before the constructors of libraries' global objects, which may use instructions that the
// processor lacks. Linux' C library gives constructors what it gives main(); RunOlderProgram()
// needs it there alone.
[[gnu::constructor(101)]] void CheckProcessor(int /*count*/, char** arguments, char** environment) {
  char missing[128];
  using namespace onnxcmp::cli;  // NOLINT(google-build-using-namespace)
  if (!NamesOfMissing(NeededInstructions(), PresentInstructions(), missing, sizeof(missing))) {
    return;
  }
  RunOlderProgram(arguments, environment);
  WriteFirst("onnxcmp: this processor lacks what this build needs: ");
  WriteFirst(missing);
  WriteFirst("; build with -DONNXCMP_ARCH=x86-64 for any processor\n");
  EndAtOnce(2);
}

}  // namespace

int main(int argc, char** argv) { return onnxcmp::cli::RunProgram(argc, argv); }
