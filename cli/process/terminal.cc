#include "cli/process/terminal.h"

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/os/terminal.h"

namespace onnxcmp::cli {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kDefaultHeight = 40;

// "" if it is not set.
absl::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The extent that the terminal reports; else the variable's; else the default.
int Extent(int TerminalExtent::*of_terminal, const char* variable, int standard) {
  if (IsTerminal(kOutputFile)) {
    const TerminalExtent extent = ExtentOfTerminal(kOutputFile);
    if (extent.*of_terminal > 0) return extent.*of_terminal;
  }
  int extent = 0;
  return absl::SimpleAtoi(Variable(variable), &extent) && extent > 0 ? extent : standard;
}

}  // namespace

int OutputWidth() { return Extent(&TerminalExtent::columns, "COLUMNS", kDefaultWidth); }

int OutputHeight() { return Extent(&TerminalExtent::lines, "LINES", kDefaultHeight); }

bool OutputTakesColor() { return Variable("NO_COLOR").empty() && ShowsColor(kOutputFile); }

bool OutputIsAscii() {
  if (!IsTerminal(kOutputFile)) return false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const absl::string_view locale = Variable(name);
    if (locale.empty()) continue;
    // The locale C does not tell what the terminal shows.
    if (locale == "C" || locale == "POSIX") return false;
    const std::string lower = absl::AsciiStrToLower(locale);
    return !absl::StrContains(lower, "utf-8") && !absl::StrContains(lower, "utf8");
  }
  return false;
}

}  // namespace onnxcmp::cli
