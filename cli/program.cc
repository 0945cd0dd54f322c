#include "cli/program.h"

#include <string>
#include <vector>

#include "cli/commands.h"

namespace onnxcmp::cli {

int RunProgram(int argc, char** argv) {
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  // A model file of such a name is written ./run.
  if (command == "run") {
    return RunCommand(rest);
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
