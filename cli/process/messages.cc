#include "cli/process/messages.h"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"

namespace onnxcmp::cli {
namespace {

void WriteLine(absl::string_view line) {
  const std::string text = absl::StrCat(line, "\n");
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

bool PrintOutput(absl::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) {
    return true;
  }
  PrintError(
      absl::StrCat("cannot write to standard output: ", std::generic_category().message(errno)));
  return false;
}

void PrintError(absl::string_view message) {
  message = absl::StripSuffix(message, "\n");
  WriteLine(absl::StrCat("onnxcmp: ", absl::StrReplaceAll(message, {{"\r", ""}, {"\n", "; "}})));
}

void PrintNote(absl::string_view message) { WriteLine(message); }

absl::Status ErrorOf(SideId side, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(SideName(side), ": ", status.message()));
}

}  // namespace onnxcmp::cli
