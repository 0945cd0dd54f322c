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

// Packages have the program once more beside this one, for processors without AVX2. Returns if
// there is none.
void RunOlderProgram(char** arguments, char** environment) {
  constexpr char kEnding[] = "-x86-64-v2";
  char path[4096 + sizeof(kEnding)];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - sizeof(kEnding));
  if (size <= 0) return;
  std::memcpy(path + size, kEnding, sizeof(kEnding));
  execve(path, arguments, environment);
}

// Runs before the constructors of libraries' global objects, which may use instructions that the
// processor lacks. The C library gives constructors what it gives main().
[[gnu::constructor(101)]] void CheckProcessor(int /*count*/, char** arguments, char** environment) {
  char missing[128];
  using namespace onnxcmp::cli;  // NOLINT(google-build-using-namespace)
  if (!NamesOfMissing(NeededInstructions(), PresentInstructions(), missing, sizeof(missing))) {
    return;
  }
  RunOlderProgram(arguments, environment);
  WriteError("onnxcmp: this processor lacks what this build needs: ");
  WriteError(missing);
  WriteError("; build with -DONNXCMP_ARCH=x86-64 for any processor\n");
  _exit(2);
}

}  // namespace

int main(int argc, char** argv) { return onnxcmp::cli::RunProgram(argc, argv); }
