#include "cli/commands.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace onnxcmp::cli {
namespace {

constexpr Command kCommands[] = {
    {"show", "MODEL ...", "Print or draw a model, or several side by side", ShowCommand},
    {"run", "MODEL", "Run one model; print or save its results", RunCommand},
    {"chain", "A B C ...", "Compare each model with the next one", ChainCommand},
    {"batch", "SOURCE ...", "Compare many pairs; report on all of them", BatchCommand},
    {"bisect", "MODEL ...", "Find the first of them that is bad", BisectCommand},
    {"generate", "LEFT RIGHT", "Compare two decoders step by step", GenerateCommand},
    {"reduce", "MODEL", "Find a small model that still fails", ReduceCommand},
    {"extract", "MODEL", "Cut out a part, with true inputs", ExtractCommand},
    {"cut", "LEFT RIGHT", "Cut both at a row of their comparison", CutCommand},
    {"layers", "LEFT RIGHT", "Compare the layers of two engines", LayersCommand},
    {"fusions", "MODEL", "List fused blocks, whole or broken", FusionsCommand},
    {"test", "DIR ...", "Run folders of backend tests", TestCommand},
    {"runtimes", "", "List the runtimes that are installed", RuntimesCommand},
    {"conformance", "DIR ...", "Run backend tests on several runtimes", ConformanceCommand},
    {"ops", "", "List the operators that can be run", OpsCommand},
    {"help", "[COMMAND]", "Print the options of a command", HelpCommand},
    {"completion", "SHELL", "Print completions: bash, zsh, fish", CompletionCommand},
};

}  // namespace

absl::Span<const Command> Commands() { return kCommands; }

std::vector<std::string> NamesOfCommands() {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return names;
}

std::string ListOfCommands() {
  constexpr size_t kColumn = 30;  // as CLI11 indents the descriptions of options
  std::string text = "Other commands (onnxcmp COMMAND --help says more):";
  for (const Command& command : kCommands) {
    std::string line = absl::StrCat("  ", command.name, " ", command.operands);
    line.resize(std::max(line.size() + 1, kColumn), ' ');
    absl::StrAppend(&text, "\n", line, command.purpose);
  }
  return text;
}

}  // namespace onnxcmp::cli
