#include "cli/bisect/candidates.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/os/glob.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/value_folder.h"
#include "record/text/natural_order.h"
#include "tools/bisect/placeholders.h"

namespace onnxcmp::cli {
namespace {

bool IsFolder(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

// Files by a pattern that the shell has left to us, in natural order.
absl::StatusOr<std::vector<std::string>> Matching(const std::string& pattern) {
  std::vector<std::string> files = PathsMatching(pattern);
  if (files.empty()) return absl::NotFoundError(absl::StrCat("no file matches ", pattern));
  std::sort(files.begin(), files.end(),
            [](const std::string& a, const std::string& b) { return NaturallyLess(a, b); });
  return files;
}

absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& given) {
  std::error_code error;
  if (IsFolder(given)) {
    OC_ASSIGN_OR_RETURN(const FolderContents contents, LookInto(given));
    std::vector<std::string> files;
    for (const std::string& name : contents.models) {
      files.push_back((std::filesystem::path(given) / name).string());
    }
    if (files.empty()) return absl::NotFoundError(absl::StrCat(given, " has no models"));
    return files;
  }
  if (std::filesystem::exists(given, error)) return std::vector<std::string>{given};
  if (given.find_first_of("*?[") != std::string::npos) return Matching(given);
  return absl::NotFoundError(absl::StrCat("there is no file ", given));
}

absl::StatusOr<std::vector<BisectCandidate>> OfModels(const BisectArguments& arguments) {
  std::vector<BisectCandidate> candidates;
  for (const std::string& given : arguments.models) {
    OC_ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(given));
    for (const std::string& file : files) candidates.push_back({file, file, ""});
  }
  return candidates;
}

absl::StatusOr<std::vector<BisectCandidate>> OfFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::vector<BisectCandidate> candidates;
  std::string line;
  while (std::getline(file, line)) {
    const std::string value(absl::StripAsciiWhitespace(line));
    if (!value.empty() && value[0] != '#') candidates.push_back({value, "", value});
  }
  return candidates;
}

std::vector<BisectCandidate> OfNumbers(const BisectArguments& arguments) {
  std::vector<BisectCandidate> candidates;
  // Before the first pass the model is as it was.
  if (!arguments.model.empty())
    candidates.push_back({arguments.model, arguments.model, absl::StrCat(arguments.first - 1)});
  for (int64_t i = 0; i < arguments.count; ++i) {
    const std::string number = absl::StrCat(arguments.first + i);
    candidates.push_back({absl::StrCat("n=", number), "", number});
  }
  return candidates;
}

absl::Status CheckOptions(const BisectArguments& arguments) {
  const bool numbers = arguments.count > 0;
  const bool listed = !arguments.candidates.empty();
  const bool makes = !arguments.command.empty();
  if (!arguments.models.empty() && (makes || numbers || listed)) {
    return absl::InvalidArgumentError("models that are there exclude --command and its options");
  }
  if (arguments.models.empty() && !makes && arguments.check.empty()) {
    return absl::InvalidArgumentError(
        "models are needed, or --command that makes them: see onnxcmp bisect --help");
  }
  if (!arguments.for_git && arguments.models.empty() && numbers == listed) {
    return absl::InvalidArgumentError("--command needs --count N or --candidates FILE");
  }
  if (arguments.for_git && (numbers || listed || arguments.every)) {
    return absl::InvalidArgumentError("--git judges one candidate: git chooses it");
  }
  if (makes && !HasPlaceholder(arguments.command, "{out}")) {
    return absl::InvalidArgumentError("--command lacks {out}, the file that it is to write");
  }
  if (numbers && !HasPlaceholder(arguments.command, "{n}") &&
      !HasPlaceholder(arguments.check, "{n}")) {
    return absl::InvalidArgumentError("--count is for {n}, which no command has");
  }
  if (listed && !HasPlaceholder(arguments.command, "{}") &&
      !HasPlaceholder(arguments.check, "{}")) {
    return absl::InvalidArgumentError("--candidates is for {}, which no command has");
  }
  if (HasPlaceholder(arguments.command, "{in}") && arguments.model.empty()) {
    return absl::InvalidArgumentError("{in} is the file of --model, which is missing");
  }
  if (!arguments.check.empty() && !arguments.reference.empty()) {
    return absl::InvalidArgumentError("--check and --reference exclude each other");
  }
  if (HasPlaceholder(arguments.check, "{model}") && arguments.models.empty() && !makes) {
    return absl::InvalidArgumentError("{model} needs models, or --command that makes them");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<BisectCandidate>> CandidatesOf(const BisectArguments& arguments) {
  OC_RETURN_IF_ERROR(CheckOptions(arguments));
  std::vector<BisectCandidate> candidates;
  if (!arguments.models.empty()) {
    OC_ASSIGN_OR_RETURN(candidates, OfModels(arguments));
  } else if (!arguments.candidates.empty()) {
    OC_ASSIGN_OR_RETURN(candidates, OfFile(arguments.candidates));
  } else if (arguments.count > 0) {
    candidates = OfNumbers(arguments);
  } else {
    candidates.push_back({"this one", "", ""});
  }
  if (arguments.for_git && candidates.size() != 1) {
    return absl::InvalidArgumentError("--git judges one model: git chooses it");
  }
  if (arguments.for_git && arguments.check.empty() && arguments.reference.empty()) {
    return absl::InvalidArgumentError("--git needs --reference or --check");
  }
  if (!arguments.for_git && candidates.size() < 2) {
    return absl::InvalidArgumentError("two candidates at least are needed");
  }
  return candidates;
}

}  // namespace onnxcmp::cli
