#include "record/runtimes/shell_line.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "evaluator/base/os/processes.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr int kShellSignals = 128;  // a shell's exit status is this and the signal's number

}  // namespace

std::string ShellEnd::Text() const {
  if (timed_out) return absl::StrCat("no end within ", absl::FormatDuration(limit));
  if (signal != 0) return absl::StrCat("ended by ", SignalText(signal));
  return absl::StrCat("exit status ", status);
}

absl::StatusOr<ShellLines> ShellLines::Create() {
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ScratchFolder> keeper, ScratchFolder::Create());
  return ShellLines(std::move(keeper));
}

absl::StatusOr<ShellEnd> ShellLines::Run(const std::string& line, const std::string& output,
                                         absl::Duration limit) {
  const absl::Time begin = absl::Now();
  OC_ASSIGN_OR_RETURN(const int process, StartShell(line, output));
  const absl::Status guarded = keeper_->Guard(process);
  ShellEnd end;
  end.limit = limit;
  end.timed_out = guarded.ok() && !HasEnded(process, limit);
  const ProcessEnd ended = EndGroup(process);
  end.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  OC_RETURN_IF_ERROR(guarded);
  OC_RETURN_IF_ERROR(keeper_->Guard(0));
  if (end.timed_out) return end;
  if (ended.by_signal) {
    end.signal = ended.number;
  } else {
    end.status = ended.number;
    if (end.status > kShellSignals && end.status <= kShellSignals + LastSignal()) {
      end.signal = end.status - kShellSignals;
    }
  }
  return end;
}

std::string ShellWord(absl::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](const char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("-_./=,:+@%", c);
  });
  if (plain) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace onnxcmp
