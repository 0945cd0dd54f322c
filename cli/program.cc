#include "cli/program.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/batch/pair_starter.h"
#include "cli/commands.h"
#include "cli/process/failed_files.h"
#include "cli/process/messages.h"
#include "record/text/display_text.h"

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
  KeepLargeBlocksOutOfTheHeap();
  return RunAnyCommand(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}

}  // namespace onnxcmp::cli
