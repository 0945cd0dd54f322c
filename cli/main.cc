#include <string>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const std::string command = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  // A model file of such a name is written ./run.
  if (command == "run") {
    return onnxcmp::cli::RunCommand(rest);
  }
  if (command == "ops") {
    return onnxcmp::cli::OpsCommand(rest);
  }
  if (command == "fusions") {
    return onnxcmp::cli::FusionsCommand(rest);
  }
  if (command == "layers") {
    return onnxcmp::cli::LayersCommand(rest);
  }
  if (command == "test") {
    return onnxcmp::cli::TestCommand(rest);
  }
  return onnxcmp::cli::CompareCommand(arguments);
}
