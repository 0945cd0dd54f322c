#include "cli/batch/pair_files.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include <re2/re2.h>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "record/text/natural_order.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;

bool HasWildcard(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

// The pattern as a regular expression for paths below the folder.
std::string ExpressionOf(const std::string& pattern) {
  std::string expression;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern.compare(i, 3, "**/") == 0) {
      expression += "(?:(.*)/)?";
      i += 2;
    } else if (pattern.compare(i, 2, "**") == 0) {
      expression += "(.*)";
      ++i;
    } else if (pattern[i] == '*') {
      expression += "([^/]*)";
    } else if (pattern[i] == '?') {
      expression += "([^/])";
    } else {
      expression += re2::RE2::QuoteMeta(pattern.substr(i, 1));
    }
  }
  return expression;
}

// Paths below a folder, in natural order. `depth`: levels of folders that are looked into.
absl::StatusOr<std::vector<std::string>> PathsBelow(const fs::path& folder, int depth) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  if (error) {
    return absl::NotFoundError(absl::StrCat(folder.string(), " cannot be read: ", error.message()));
  }
  for (; it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (it.depth() >= depth) it.disable_recursion_pending();
    paths.push_back(it->path().string());
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("a folder in ", folder.string(), " cannot be read: ", error.message()));
  }
  std::sort(paths.begin(), paths.end(),
            [](const std::string& a, const std::string& b) { return NaturallyLess(a, b); });
  return paths;
}

std::string AbsolutePath(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

bool IsModelFile(const fs::path& path) {
  const std::string ending = absl::AsciiStrToLower(path.extension().string());
  return ending == ".onnx" || ending == ".onnxtxt";
}

bool IsSideFile(const fs::path& path) {
  const std::string ending = absl::AsciiStrToLower(path.extension().string());
  return IsModelFile(path) || ending == ".npz" || ending == ".safetensors";
}

// Files of a folder by their paths in it without endings; of several with one stem, the model.
absl::StatusOr<std::map<std::string, std::string>> SidesIn(const std::string& folder,
                                                           bool models_only) {
  constexpr int kAnyDepth = 1 << 20;
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsBelow(folder, kAnyDepth));
  std::map<std::string, std::string> sides;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!(models_only ? IsModelFile(path) : IsSideFile(path)) || fs::is_directory(path, error)) {
      continue;
    }
    const fs::path within = fs::path(path).lexically_relative(folder);
    // Values in a test's data are no side of their own.
    if (within.string().find("test_data_set_") != std::string::npos) continue;
    std::string stem = (within.parent_path() / within.stem()).string();
    if (models_only) {
      // x.onnx and x.onnxtxt are two models.
      const auto [it, is_new] = sides.emplace(stem, path);
      if (!is_new) sides.emplace(within.string(), path);
      continue;
    }
    const auto [it, is_new] = sides.emplace(std::move(stem), path);
    if (!is_new && IsModelFile(path) && !IsModelFile(it->second)) it->second = path;
  }
  return sides;
}

void SortByName(std::vector<BatchPair>* pairs) {
  std::sort(pairs->begin(), pairs->end(),
            [](const BatchPair& a, const BatchPair& b) { return NaturallyLess(a.name, b.name); });
}

}  // namespace

absl::StatusOr<std::vector<PathMatch>> MatchPaths(const std::string& pattern) {
  const std::string whole = AbsolutePath(pattern);
  const size_t wildcard = whole.find_first_of("*?");
  if (wildcard == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("the pattern ", pattern, " has no wildcard (*, ?, **)"));
  }
  const std::string folder = whole.substr(0, whole.rfind('/', wildcard) + 1);
  const std::string rest = whole.substr(folder.size());
  const re2::RE2 expression(ExpressionOf(rest));
  if (!expression.ok()) return absl::InvalidArgumentError(absl::StrCat("no pattern: ", pattern));
  const bool deep = rest.find("**") != std::string::npos;
  const auto levels = static_cast<int>(std::count(rest.begin(), rest.end(), '/'));
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                      PathsBelow(folder, deep ? 1 << 20 : levels));
  std::vector<PathMatch> matches;
  const auto groups = static_cast<size_t>(expression.NumberOfCapturingGroups());
  std::vector<re2::StringPiece> captured(groups);
  std::vector<re2::RE2::Arg> arguments(groups);
  std::vector<const re2::RE2::Arg*> pointers;
  for (size_t i = 0; i < groups; ++i) {
    arguments[i] = re2::RE2::Arg(&captured[i]);
    pointers.push_back(&arguments[i]);
  }
  for (const std::string& path : paths) {
    const re2::StringPiece within(path.data() + folder.size(), path.size() - folder.size());
    if (!re2::RE2::FullMatchN(within, expression, pointers.data(), static_cast<int>(groups))) {
      continue;
    }
    PathMatch match{path, {}};
    for (const re2::StringPiece& part : captured) {
      match.captured.emplace_back(part.data() == nullptr ? "" : std::string(part));
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

absl::StatusOr<std::string> FillCaptures(const std::string& text,
                                         const std::vector<std::string>& captured) {
  std::string filled;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    size_t number = 0;
    if (end == std::string::npos || !absl::SimpleAtoi(text.substr(i + 1, end - i - 1), &number)) {
      filled += text[i];
      continue;
    }
    if (number == 0 || number > captured.size()) {
      return absl::InvalidArgumentError(absl::StrCat("{", number, "} in ", text,
                                                     ": the pattern of --left has ",
                                                     captured.size(), " wildcards"));
    }
    filled += captured[number - 1];
    i = end;
  }
  return filled;
}

absl::StatusOr<std::vector<BatchPair>> PairsOfPatterns(const PairPatterns& patterns) {
  if (HasWildcard(patterns.right) || HasWildcard(patterns.inputs)) {
    return absl::InvalidArgumentError(
        "wildcards are for --left; the others have {1}, {2}, ... for what these stand for");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<PathMatch> matches, MatchPaths(patterns.left));
  std::vector<BatchPair> pairs;
  for (const PathMatch& match : matches) {
    BatchPair pair;
    pair.left = match.path;
    OC_ASSIGN_OR_RETURN(const std::string right, FillCaptures(patterns.right, match.captured));
    OC_ASSIGN_OR_RETURN(const std::string inputs, FillCaptures(patterns.inputs, match.captured));
    if (!right.empty()) pair.right = AbsolutePath(right);
    if (!inputs.empty()) pair.inputs = AbsolutePath(inputs);
    pair.against = patterns.against;
    if (patterns.name.empty()) {
      pair.name = absl::StrJoin(match.captured, "/");
    } else {
      OC_ASSIGN_OR_RETURN(pair.name, FillCaptures(patterns.name, match.captured));
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

absl::StatusOr<std::vector<BatchPair>> PairsOfFolders(const std::string& left,
                                                      const std::string& right) {
  const std::string left_folder = AbsolutePath(left);
  const std::string right_folder = AbsolutePath(right);
  OC_ASSIGN_OR_RETURN(const auto left_sides, SidesIn(left_folder, /*models_only=*/false));
  OC_ASSIGN_OR_RETURN(const auto right_sides, SidesIn(right_folder, /*models_only=*/false));
  const auto moved = [](const std::string& path, const std::string& from, const std::string& to) {
    return (fs::path(to) / fs::path(path).lexically_relative(from)).string();
  };
  std::vector<BatchPair> pairs;
  for (const auto& [stem, path] : left_sides) {
    BatchPair pair;
    pair.name = stem;
    pair.left = path;
    const auto found = right_sides.find(stem);
    pair.right =
        found == right_sides.end() ? moved(path, left_folder, right_folder) : found->second;
    pairs.push_back(std::move(pair));
  }
  for (const auto& [stem, path] : right_sides) {
    if (left_sides.contains(stem)) continue;
    BatchPair pair;
    pair.name = stem;
    pair.left = moved(path, right_folder, left_folder);
    pair.right = path;
    pairs.push_back(std::move(pair));
  }
  SortByName(&pairs);
  return pairs;
}

absl::StatusOr<std::vector<BatchPair>> PairsAgainst(const std::string& folder,
                                                    const std::string& runtime) {
  OC_ASSIGN_OR_RETURN(const auto models, SidesIn(AbsolutePath(folder), /*models_only=*/true));
  std::vector<BatchPair> pairs;
  for (const auto& [stem, path] : models) {
    BatchPair pair;
    pair.name = stem;
    pair.left = path;
    pair.against = runtime;
    pairs.push_back(std::move(pair));
  }
  SortByName(&pairs);
  return pairs;
}

}  // namespace onnxcmp::cli
