#include "cli/process/progress.h"

#include <chrono>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "evaluator/base/os/terminal.h"
#include "record/text/short_text.h"
#include "tools/classic/classic_row.h"

namespace onnxcmp::cli {
namespace {

constexpr std::chrono::milliseconds kBeforeFirst(1000);
constexpr std::chrono::milliseconds kBetween(100);

int TerminalWidth() {
  constexpr int kUnknown = 80;
  const int columns = ExtentOfTerminal(kErrorFile).columns;
  return columns > 0 ? columns : kUnknown;
}

void WriteNow(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, Interruption& interruption, Text text)
    : interruption_(interruption), wanted_(interruption.has_limits()) {
  if (wanted_) {
    interruption.SetUnderWay(this, [this, text] { return text(Seconds()); });
  }
  if (!quiet && IsTerminal(kErrorFile)) {
    wanted_ = true;
    interruption.ClearLineAtEnd();
    thread_ = std::thread([this, text = std::move(text)] { DrawUntilStopped(text); });
  }
}

double ProgressLine::Seconds() const {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start_;
  return time.count();
}

ProgressLine::~ProgressLine() {
  interruption_.SetUnderWay(this, nullptr);
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

void ProgressLine::DrawUntilStopped(const Text& text) {
  bool drawn = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, drawn ? kBetween : kBeforeFirst, [this] { return stopped_; })) {
    const std::string line = text(Seconds());
    if (line.empty()) {
      continue;
    }
    // On some terminals, a line of the full width would wrap.
    WriteNow(absl::StrCat("\r", FitColumn(line, TerminalWidth() - 1)));
    drawn = true;
  }
  if (drawn) {
    WriteNow("\r\x1b[K");
  }
}

Progress::Progress(const std::string& label, bool quiet, Interruption& interruption)
    : label_(label.empty() ? "" : absl::StrCat(label, ": ")),
      line_(quiet, interruption, [this](double seconds) { return Text(seconds); }) {}

std::string Progress::Text(double seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string time = absl::StrFormat("%.1f s", seconds);
  if (total_ > 0) {
    return absl::StrCat(label_, index_, " of ", total_, " nodes, ", time, ", ", node_);
  }
  if (initializers_ == 0) return "";
  return absl::StrCat(label_, initializers_, " initializers, ", BytesText(bytes_), ", ", time);
}

void Progress::OnNodeStart(const NodeStart& start) {
  if (!line_.wanted()) {
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  index_ = start.index;
  total_ = start.total;
  node_ = absl::StrCat(start.node.op_type, " ", start.node.name);
}

absl::Status Progress::OnResult(const Result& result, std::optional<Value>* /*replacement*/) {
  if (line_.wanted() && result.kind == ResultKind::kInitializer && result.value.is_tensor()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++initializers_;
    bytes_ += result.value.tensor().byte_size();
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp::cli
