#include "tools/reduce/write_reduced.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"
#include "onnx/defs/printer.h"
#include "record/base/write_file.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWritten[] = {"model.onnx",  "test_data_set_0", "inputs.npz",
                                    "outputs.npz", "check.sh",        "report.md"};
constexpr char kUnfinished[] = ".unfinished";

// The end of what a command said.
std::string LastLinesSaid(const std::string& output) {
  constexpr size_t kLines = 12;
  std::vector<absl::string_view> lines;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    if (!absl::StripAsciiWhitespace(line).empty()) lines.push_back(line);
  }
  if (lines.size() > kLines) lines.erase(lines.begin(), lines.end() - kLines);
  return absl::StrJoin(lines, "\n");
}

std::string LastLineSaid(const std::string& output) {
  const std::string lines = LastLinesSaid(output);
  const size_t start = lines.rfind('\n');
  return start == std::string::npos ? lines : lines.substr(start + 1);
}

std::string ReportedNode(const onnx::NodeProto& node) {
  constexpr size_t kLongest = 400;
  const std::string printed = onnx::ProtoToString(node);
  std::string text = absl::StrReplaceAll(absl::StripAsciiWhitespace(printed), {{"\n", " "}});
  if (text.size() > kLongest) text = absl::StrCat(text.substr(0, kLongest), " ...");
  return text;
}

absl::Status WriteScript(const std::string& folder, const std::string& line) {
  if (line.empty()) return absl::OkStatus();
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  const std::string path = folder + "/check.sh";
  OC_RETURN_IF_ERROR(WriteFile(
      path,
      absl::StrCat("#!/bin/sh\n# Fails on the model in this folder.\n",
                   "folder=$(cd \"$(dirname \"$0\")\" && pwd)\ncd '",
                   absl::StrReplaceAll(here, {{"'", "'\\''"}}), "' 2>/dev/null\n", line, "\n")));
  fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add, error);
  return absl::OkStatus();
}

}  // namespace

absl::Status PrepareReducedFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return absl::PermissionDeniedError(absl::StrCat(folder, ": ", error.message()));
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name != kReduceJournal && name != kUnfinished &&
        std::find(std::begin(kWritten), std::end(kWritten), name) == std::end(kWritten)) {
      return absl::AlreadyExistsError(
          absl::StrCat(folder, " has other files, such as ", name, ": name a new folder"));
    }
  }
  return absl::OkStatus();
}

std::string ReducedReport(const std::string& model, const Reduced& reduced,
                          const std::string& command) {
  const onnx::GraphProto& graph = reduced.best.model.proto.graph();
  std::string text = absl::StrCat("# ", reduced.last.how, " on ", graph.node_size(),
                                  graph.node_size() == 1 ? " node" : " nodes", "\n\n");
  absl::StrAppend(&text, "Reduced from ", fs::path(model).filename().string(), ", which has ",
                  reduced.nodes_before, " nodes. `model.onnx` and `test_data_set_0` are a backend ",
                  "test as ONNX lays them out: the inputs, and the outputs of onnxcmp's reference ",
                  "interpreter.\n\nCommand (`check.sh` runs it):\n\n```\n", command,
                  "\n```\n\nThe model:\n\n```\n");
  for (const auto& import : reduced.best.model.proto.opset_import()) {
    absl::StrAppend(&text, import.domain().empty() ? "ai.onnx" : import.domain(), " ",
                    import.version(), "\n");
  }
  for (const auto& input : graph.input()) {
    const auto feed = reduced.best.model.feeds.find(input.name());
    absl::StrAppend(&text, "input ", input.name(), " ",
                    feed == reduced.best.model.feeds.end() ? "" : feed->second.TypeString(), "\n");
  }
  for (const auto& initializer : graph.initializer()) {
    absl::StrAppend(&text, "constant ", initializer.name(), " ",
                    onnx::TensorProto::DataType_Name(initializer.data_type()), " [",
                    absl::StrJoin(initializer.dims(), ","), "]\n");
  }
  for (const auto& node : graph.node()) absl::StrAppend(&text, ReportedNode(node), "\n");
  for (int i = 0; i < graph.output_size(); ++i) {
    absl::StrAppend(&text, "output ", graph.output(i).name(), " ",
                    reduced.best.outputs[static_cast<size_t>(i)].TypeString(), "\n");
  }
  absl::StrAppend(&text, "```\n\nHow it fails: ", reduced.last.how, ".\n");
  if (const std::string lines = LastLinesSaid(reduced.last.output); !lines.empty()) {
    absl::StrAppend(&text, "\n```\n", lines, "\n```\n");
  }
  const std::string first = LastLineSaid(reduced.first.output),
                    last = LastLineSaid(reduced.last.output);
  if (!last.empty() && first != last) {
    absl::StrAppend(&text, "\nThe whole model fails with another last line; `--match` keeps to ",
                    "one:\n\n```\n", first, "\n```\n");
  }
  if (reduced.unstable) {
    absl::StrAppend(&text,
                    "\nTried once more, this model did not fail: what the command does is a ",
                    "matter of chance, and so may be this result.\n");
  }
  if (reduced.fails_without_nodes) {
    absl::StrAppend(&text,
                    "\nNone of the model's nodes is needed: the command fails on this model ",
                    "of one node, too.\n");
  }
  if (!reduced.checks.checker || !reduced.checks.inference) {
    absl::StrAppend(&text, "\nThe whole model does not pass ONNX's ",
                    reduced.checks.checker ? "strict shape inference" : "checker",
                    ", so that smaller ones were not held to it.\n");
  }
  return text;
}

absl::Status WriteReduced(const std::string& folder, const std::string& model,
                          const Reduced& reduced, FailureTest* test) {
  const fs::path unfinished = fs::path(folder) / kUnfinished;
  std::error_code error;
  fs::remove_all(unfinished, error);
  OC_RETURN_IF_ERROR(WriteBackendTest(unfinished.string(), reduced.best.model.proto,
                                      reduced.best.model.feeds, reduced.best.outputs));
  OC_ASSIGN_OR_RETURN(const std::string line, test->Script(reduced.best, unfinished.string()));
  OC_RETURN_IF_ERROR(WriteScript(unfinished.string(), line));
  OC_RETURN_IF_ERROR(WriteFile((unfinished / "report.md").string(),
                               ReducedReport(model, reduced, test->command())));
  for (const char* name : kWritten) {
    const fs::path target = fs::path(folder) / name;
    fs::remove_all(target, error);
    if (fs::exists(unfinished / name, error)) fs::rename(unfinished / name, target, error);
    if (error) return absl::PermissionDeniedError(absl::StrCat(folder, ": ", error.message()));
  }
  fs::remove_all(unfinished, error);
  return absl::OkStatus();
}

}  // namespace onnxcmp
