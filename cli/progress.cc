#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/classic_row.h"

namespace onnxcmp::cli {
namespace {

constexpr std::chrono::milliseconds kBeforeFirst(1000);
constexpr std::chrono::milliseconds kBetween(100);

int TerminalWidth() {
  winsize size;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void WriteNow(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress(std::string label, bool quiet, Interruption& interruption)
    : label_(std::move(label)),
      enabled_(!quiet && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_draw_(start_) {
  if (enabled_) {
    interruption.ClearLineOnSignal();
  }
}

Progress::~Progress() {
  if (drawn_) {
    WriteNow("\r\x1b[K");
  }
}

void Progress::OnNodeStart(const NodeStart& start) {
  if (!enabled_) {
    return;
  }
  const Clock::time_point now = Clock::now();
  if (now - start_ < kBeforeFirst || (drawn_ && now - last_draw_ < kBetween)) {
    return;
  }
  const std::string line =
      absl::StrCat(label_, label_.empty() ? "" : ": ", start.index, " of ", start.total, " nodes, ",
                   absl::StrFormat("%.1f s, ", std::chrono::duration<double>(now - start_).count()),
                   start.node.op_type, " ", start.node.name);
  // A line as wide as the terminal would wrap on some.
  WriteNow(absl::StrCat("\r", FitColumn(line, TerminalWidth() - 1)));
  drawn_ = true;
  last_draw_ = now;
}

}  // namespace onnxcmp::cli
