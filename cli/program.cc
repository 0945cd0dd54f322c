#include "cli/program.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/batch/pair_starter.h"
#include "cli/commands.h"
#include "cli/process/failed_files.h"
#include "cli/process/heap.h"
#include "cli/process/messages.h"
#include "evaluator/base/os/terminal.h"
#include "record/text/display_text.h"

namespace onnxcmp::cli {
namespace {

// Error for a first word that is no command, option or file; "" for others. A name with a point or
// a slash is one of a file that is missing.
std::string UnknownWord(const std::string& word) {
  std::error_code error;
  if (word.empty() || word[0] == '-' || word.find_first_of("./") != std::string::npos ||
      std::filesystem::exists(word, error)) {
    return "";
  }
  const std::vector<std::string> names = NamesOfCommands();
  return absl::StrCat("there is no file and no command '", PrintableText(word), "'",
                      NearestWord(word, names), "; commands: ", absl::StrJoin(names, ", "),
                      "; onnxcmp LEFT RIGHT compares; see onnxcmp --help");
}

int RunAnyCommand(const std::vector<std::string>& arguments) {
  TellOfFailedFiles();
  const std::string command = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  if (command == kServePairs) return ServePairs(RunAnyCommand);
  // A model file with such a name has to be written ./run.
  for (const Command& known : Commands()) {
    if (command == known.name) return known.run(rest);
  }
  if (const std::string message = UnknownWord(command); !message.empty()) {
    PrintError(message);
    return kFailed;
  }
  return CompareCommand(arguments);
}

}  // namespace

int RunProgram(int argc, char** argv) {
  PrepareTerminals();
  KeepLargeBlocksOutOfTheHeap();
  return RunAnyCommand(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}

}  // namespace onnxcmp::cli
