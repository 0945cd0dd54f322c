#include "record/runtimes/find_python.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/processes.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/child_process.h"
#include "record/runtimes/runtime_spec.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = "_adapter.py";
constexpr absl::Duration kProbePatience = absl::Seconds(60);

std::vector<std::string> Pythons(const std::string& preferred) {
  if (const char* chosen = std::getenv("ONNXCMP_PYTHON"); chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  const char* path = std::getenv("PATH");
  std::vector<std::string> found;
  if (!preferred.empty()) found.push_back(preferred);
  std::set<std::string> seen;
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (folder.empty()) continue;
    const std::string python = absl::StrCat(folder, "/python3");
    // A virtual environment's is a link to the one that it was made of, but not the same.
    std::error_code error;
    const std::string home = fs::weakly_canonical(std::string(folder), error).string();
    if (IsProgram(python) && seen.insert(home).second) found.push_back(python);
  }
  return found;
}

std::string LastLine(const std::string& text) {
  const absl::string_view stripped = absl::StripTrailingAsciiWhitespace(text);
  const size_t end = stripped.rfind('\n');
  return std::string(end == absl::string_view::npos ? stripped : stripped.substr(end + 1));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> PythonsFor(const std::string& adapters,
                                                    const std::string& adapter,
                                                    const std::string& preferred) {
  OC_RETURN_IF_ERROR(CanStartPrograms());
  if (!RuntimeSpec{adapter, {}}.is_file()) {
    const std::vector<std::string> names = AdapterNames(adapters);
    if (std::find(names.begin(), names.end(), adapter) == names.end()) {
      return absl::NotFoundError(absl::StrCat(
          "no runtime is called '", adapter, "'; known are: ", absl::StrJoin(names, ", "),
          "; an adapter of your own is a file: ./", OneLine(adapter), ".py"));
    }
  }
  return Pythons(preferred);
}

absl::Status MissingPython::Error(const std::string& adapter,
                                  const std::vector<std::string>& asked) const {
  std::string text = absl::StrCat("no Python was found that has ", adapter);
  if (!packages.empty()) {
    absl::StrAppend(&text, ": pip install ", absl::StrJoin(packages, " "),
                    ", or set ONNXCMP_PYTHON to a Python that has it");
  }
  absl::StrAppend(&text, asked.empty()
                             ? "; there is no python3 in PATH"
                             : absl::StrCat(" (asked: ", absl::StrJoin(asked, ", "), ")"));
  for (const std::string& trouble : troubles) absl::StrAppend(&text, "; ", trouble);
  return absl::NotFoundError(text);
}

absl::StatusOr<FoundPython> FindPython(const std::string& adapters, const std::string& adapter) {
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> pythons, PythonsFor(adapters, adapter, ""));
  MissingPython missing;
  for (const std::string& python : pythons) {
    auto child = ChildProcess::Start({python, adapters, "--probe", adapter});
    if (!child.ok()) {
      missing.troubles.push_back(OneLine(child.status().message()));
      continue;
    }
    // The line is not read; the answer comes by itself.
    const absl::StatusOr<std::string> answer = (*child)->Ask("", kProbePatience);
    if (!answer.ok()) {
      missing.troubles.push_back(
          absl::StrCat(python, ": ", answer.status().message(), " ", LastLine((*child)->errors())));
      continue;
    }
    const auto json = nlohmann::json::parse(*answer, nullptr, /*allow_exceptions=*/false);
    if (json.is_object() && json.contains("version") && json["version"].is_string()) {
      return FoundPython{python, json["version"].get<std::string>()};
    }
    if (json.is_object() && json.contains("missing") && json["missing"].is_array()) {
      missing.packages.clear();
      for (const auto& package : json["missing"]) {
        if (package.is_string()) missing.packages.push_back(package.get<std::string>());
      }
      continue;
    }
    missing.troubles.push_back(absl::StrCat(python, " gave ", OneLine(answer->substr(0, 200))));
  }
  return missing.Error(adapter, pythons);
}

std::vector<std::string> AdapterNames(const std::string& adapters) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(adapters, error), end; !error && it != end; it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (file.ends_with(kSuffix)) names.push_back(file.substr(0, file.size() - sizeof(kSuffix) + 1));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace onnxcmp
