// The program's commands. Each takes its arguments, without the program's and the command's name.
#ifndef ONNXCMP_CLI_COMMANDS_H_
#define ONNXCMP_CLI_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp::cli {

enum ExitStatus : int {
  kAgree = 0,   // the outputs agree; for the other commands: done
  kDiffer = 1,  // the outputs differ
  kFailed = 2,  // nothing to compare: an error was printed
};

int BatchCommand(const std::vector<std::string>& arguments);
int CompareCommand(const std::vector<std::string>& arguments);
int RunCommand(const std::vector<std::string>& arguments);
int BisectCommand(const std::vector<std::string>& arguments);
int CutCommand(const std::vector<std::string>& arguments);
int OpsCommand(const std::vector<std::string>& arguments);
int FusionsCommand(const std::vector<std::string>& arguments);
int ExtractCommand(const std::vector<std::string>& arguments);
int GenerateCommand(const std::vector<std::string>& arguments);
int ReduceCommand(const std::vector<std::string>& arguments);
int ChainCommand(const std::vector<std::string>& arguments);
// Its other form, onnxcmp chain --generate: decoders, step by step.
int ChainGeneration(const std::vector<std::string>& arguments);
int LayersCommand(const std::vector<std::string>& arguments);
int ConformanceCommand(const std::vector<std::string>& arguments);
int RuntimesCommand(const std::vector<std::string>& arguments);
int HelpCommand(const std::vector<std::string>& arguments);
int CompletionCommand(const std::vector<std::string>& arguments);
int ShowCommand(const std::vector<std::string>& arguments);
int TestCommand(const std::vector<std::string>& arguments);

// InvalidArgument for a line of GenerateCommand() that it would not take; no model is looked at.
absl::Status CheckGenerateLine(const std::vector<std::string>& arguments);

struct Command {
  absl::string_view name;
  absl::string_view operands;
  absl::string_view purpose;
  int (*run)(const std::vector<std::string>& arguments);
};

// All but the comparison, which has no name, in the order of the help.
absl::Span<const Command> Commands();
std::vector<std::string> NamesOfCommands();

// The part of the help that lists them, a line each.
std::string ListOfCommands();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_COMMANDS_H_
