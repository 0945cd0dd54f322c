#include "evaluator/load/module_paths.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/load/read_model.h"
#include "evaluator/protos/cut_weights.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kNameScopes = "pkg.torch.onnx.name_scopes";
constexpr absl::string_view kNamespace = "namespace";
constexpr absl::string_view kStackTrace = "pkg.torch.onnx.stack_trace";

// The parts in quotes of either kind.
std::vector<std::string> QuotedParts(absl::string_view text) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'' && text[i] != '"') continue;
    const size_t end = text.find(text[i], i + 1);
    if (end == absl::string_view::npos) break;
    parts.emplace_back(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return parts;
}

// Most models have none, which is found out sooner than their nodes are parsed.
bool MayHavePlaces(absl::string_view bytes) {
  const std::optional<CutModel> cut = CutWeights(bytes);
  const absl::string_view rest = cut.has_value() ? absl::string_view(cut->message) : bytes;
  return absl::StrContains(rest, kNameScopes) || absl::StrContains(rest, kNamespace) ||
         absl::StrContains(rest, kStackTrace);
}

}  // namespace

std::string ModuleOfNameScopes(absl::string_view scopes) {
  std::vector<std::string> parts = QuotedParts(scopes);
  // The last one is the operator.
  return parts.size() < 2 ? "" : parts[parts.size() - 2];
}

std::string ModuleOfNamespace(absl::string_view name) {
  std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  if (parts.size() < 2) return "";
  const std::pair<absl::string_view, absl::string_view> module =
      absl::StrSplit(parts[parts.size() - 2], absl::MaxSplits(": ", 1));
  return std::string(module.first);
}

std::string LineOfStackTrace(absl::string_view trace) {
  std::string innermost, own;
  for (absl::string_view line : absl::StrSplit(trace, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "File \"")) continue;
    const size_t end = line.find("\", line ");
    if (end == absl::string_view::npos) continue;
    const absl::string_view path = line.substr(0, end);
    absl::string_view number = line.substr(end + absl::string_view("\", line ").size());
    number = number.substr(0, number.find(','));
    // Windows has the other slash.
    const absl::string_view file = path.substr(path.find_last_of("/\\") + 1);
    innermost = absl::StrCat(file, ":", number);
    if (!absl::StrContains(path, "-packages/torch/") &&
        !absl::StrContains(path, "-packages\\torch\\")) {
      own = innermost;
    }
  }
  return own.empty() ? innermost : own;
}

absl::flat_hash_map<std::string, ProgramPlace> ReadProgramPlaces(const std::string& path) {
  constexpr int kMaxDepth = 64;
  absl::flat_hash_map<std::string, ProgramPlace> places;
  absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (!file.ok() || !MayHavePlaces((*file)->bytes())) return places;
  const absl::StatusOr<ModelInFile> model = ReadModelInPlace(*std::move(file), kMaxDepth);
  if (!model.ok()) return places;
  for (const onnx::NodeProto& node : model->proto->graph().node()) {
    if (node.output().empty()) continue;
    ProgramPlace place;
    for (const onnx::StringStringEntryProto& entry : node.metadata_props()) {
      if (entry.key() == kNameScopes) place.module = ModuleOfNameScopes(entry.value());
      if (entry.key() == kStackTrace) place.line = LineOfStackTrace(entry.value());
      if (entry.key() == kNamespace && !place.module.has_value()) {
        place.module = ModuleOfNamespace(entry.value());
      }
    }
    if (place.module.has_value() || !place.line.empty()) {
      places[node.output(0)] = std::move(place);
    }
  }
  return places;
}

}  // namespace onnxcmp
