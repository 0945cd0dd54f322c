#include "cli/program.h"

#include <string>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cli/commands.h"

namespace onnxcmp::cli {
namespace {

// Large results are reused as long as that pays (evaluator/base/spare_memory.h). Others return to
// the system, unless they lie in malloc's heap below small blocks: glibc puts blocks of up to 32 MB
// there after a while unless it is given a limit.
void KeepLargeBlocksOutOfTheHeap() {
#ifdef __GLIBC__
  constexpr int kLeastMapped = 1 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLeastMapped);
#endif
}

}  // namespace

int RunProgram(int argc, char** argv) {
  KeepLargeBlocksOutOfTheHeap();
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  // A model file with such a name has to be written ./run.
  if (command == "run") {
    return RunCommand(rest);
  }
  if (command == "chain") {
    return ChainCommand(rest);
  }
  if (command == "ops") {
    return OpsCommand(rest);
  }
  if (command == "fusions") {
    return FusionsCommand(rest);
  }
  if (command == "layers") {
    return LayersCommand(rest);
  }
  if (command == "test") {
    return TestCommand(rest);
  }
  return CompareCommand(arguments);
}

}  // namespace onnxcmp::cli
