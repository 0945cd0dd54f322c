#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/classic/classic_row.h"

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
    : label_(std::move(label)), start_(Clock::now()) {
  if (!quiet && isatty(STDERR_FILENO) != 0) {
    interruption.ClearLineOnSignal();
    thread_ = std::thread([this] { DrawUntilStopped(); });
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::OnNodeStart(const NodeStart& start) {
  if (!thread_.joinable()) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  index_ = start.index;
  total_ = start.total;
  node_ = absl::StrCat(start.node.op_type, " ", start.node.name);
}

void Progress::DrawUntilStopped() {
  bool drawn = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, drawn ? kBetween : kBeforeFirst, [this] { return stopped_; })) {
    if (total_ == 0) {
      continue;  // initializers are still being looked at
    }
    const std::chrono::duration<double> time = Clock::now() - start_;
    const std::string line =
        absl::StrCat(label_, label_.empty() ? "" : ": ", index_, " of ", total_, " nodes, ",
                     absl::StrFormat("%.1f s, ", time.count()), node_);
    // A line as wide as the terminal would wrap on some.
    WriteNow(absl::StrCat("\r", FitColumn(line, TerminalWidth() - 1)));
    drawn = true;
  }
  if (drawn) {
    WriteNow("\r\x1b[K");
  }
}

}  // namespace onnxcmp::cli
