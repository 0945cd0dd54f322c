#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/process/interruption.h"
#include "cli/process/messages.h"
#include "cli/runtimes/runtime_options.h"
#include "record/runtimes/find_python.h"
#include "record/text/display_text.h"

namespace onnxcmp::cli {

int RuntimesCommand(const std::vector<std::string>& arguments) {
  Interruption interruption;
  CLI::App app(
      "Lists the runtimes that a side can run in, and which of them are there: of each\n"
      "the version and the Python that has it. ONNXCMP_PYTHON names another Python.",
      "onnxcmp runtimes");
  SetUsage(app, "onnxcmp runtimes");
  if (const std::optional<int> status = Parse(app, arguments, interruption)) return *status;
  const absl::StatusOr<std::string> adapters = AdaptersFolder();
  if (!adapters.ok()) {
    PrintError(adapters.status().message());
    return kFailed;
  }
  const std::vector<std::string> names = AdapterNames(*adapters);
  int width = 0;
  for (const std::string& name : names) width = std::max(width, DisplayWidth(name));
  std::string text;
  for (const std::string& name : names) {
    const absl::StatusOr<FoundPython> found = FindPython(*adapters, name);
    absl::StrAppend(&text, PadRight(name, width), "  ",
                    found.ok() ? absl::StrCat(PadRight(found->version, 12), " ", found->python)
                               : std::string(found.status().message()),
                    "\n");
  }
  return PrintOutput(text) ? kAgree : kFailed;
}

}  // namespace onnxcmp::cli
