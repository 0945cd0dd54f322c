#include "cli/process/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::cli {
namespace {

constexpr int kDefaultWidth = 100;
constexpr int kDefaultHeight = 40;

// "" if it is not set.
absl::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool IsTerminal() { return isatty(STDOUT_FILENO) == 1; }

// The extent that the terminal reports; else the variable's; else the default.
int Extent(unsigned short winsize::*of_terminal, const char* variable, int standard) {
  winsize size = {};
  if (IsTerminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.*of_terminal > 0) {
    return size.*of_terminal;
  }
  int extent = 0;
  return absl::SimpleAtoi(Variable(variable), &extent) && extent > 0 ? extent : standard;
}

}  // namespace

int OutputWidth() { return Extent(&winsize::ws_col, "COLUMNS", kDefaultWidth); }

int OutputHeight() { return Extent(&winsize::ws_row, "LINES", kDefaultHeight); }

bool OutputTakesColor() {
  const absl::string_view term = Variable("TERM");
  return IsTerminal() && Variable("NO_COLOR").empty() && !term.empty() && term != "dumb";
}

bool OutputIsAscii() {
  if (!IsTerminal()) return false;
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
