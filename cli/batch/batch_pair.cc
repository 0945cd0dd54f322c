#include "cli/batch/batch_pair.h"

#include <algorithm>
#include <filesystem>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "record/text/display_text.h"
#include "record/text/meant_name.h"

namespace onnxcmp::cli {
namespace {

constexpr char kAgreement[] = "agree";

std::vector<std::string> KnownVerdicts() {
  return {kAgreement,
          "same",
          "close",
          "different",
          "untested",
          "failed",
          std::string(kUnreadable),
          std::string(kCrashed),
          std::string(kKilled),
          std::string(kOutOfMemory),
          std::string(kTimedOut),
          std::string(kChanged)};
}

// "dir/model" of "/zoo/dir/model.onnx" and "/other/dir/model.opt.onnx": the left's folder and stem.
std::string NameOfFile(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.stem()).string();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseExpectedVerdicts(absl::string_view text) {
  std::vector<std::string> verdicts;
  const std::vector<std::string> known = KnownVerdicts();
  for (const absl::string_view word : absl::StrSplit(text, absl::ByAnyChar(",; "))) {
    if (word.empty()) continue;
    std::string verdict = absl::AsciiStrToLower(word);
    if (std::find(known.begin(), known.end(), verdict) == known.end()) {
      return absl::InvalidArgumentError(absl::StrCat("'", PrintableText(word), "' is no verdict",
                                                     DidYouMean(verdict, known),
                                                     "; verdicts: ", absl::StrJoin(known, ", ")));
    }
    if (verdict == kAgreement) {
      verdicts.insert(verdicts.end(), {"same", "close"});
    } else {
      verdicts.push_back(std::move(verdict));
    }
  }
  if (verdicts == std::vector<std::string>{"same", "close"}) verdicts.clear();
  return verdicts;
}

absl::Status NameBatchPairs(std::vector<BatchPair>* pairs) {
  absl::flat_hash_map<std::string, const BatchPair*> named;
  const auto place = [](const BatchPair& pair) {
    return pair.line > 0 ? absl::StrCat("line ", pair.line) : pair.left;
  };
  for (BatchPair& pair : *pairs) {
    if (pair.name.empty()) continue;
    const auto [it, is_new] = named.emplace(pair.name, &pair);
    if (is_new) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("two pairs are called '", PrintableText(pair.name), "': ", place(*it->second),
                     " and ", place(pair)));
  }
  for (BatchPair& pair : *pairs) {
    if (!pair.name.empty()) continue;
    const std::string name = NameOfFile(pair.left);
    pair.name = name;
    for (int number = 2; !named.emplace(pair.name, &pair).second; ++number) {
      pair.name = absl::StrCat(name, "#", number);
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp::cli
