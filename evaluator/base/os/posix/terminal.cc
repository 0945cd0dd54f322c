#include "evaluator/base/os/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/string_view.h"

namespace onnxcmp {

void PrepareTerminals() {}  // they are so

bool IsTerminal(int file) { return isatty(file) == 1; }

TerminalExtent ExtentOfTerminal(int file) {
  winsize size = {};
  if (ioctl(file, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

bool ShowsColor(int file) {
  const char* term = std::getenv("TERM");
  return IsTerminal(file) && term != nullptr && *term != '\0' && absl::string_view(term) != "dumb";
}

}  // namespace onnxcmp
