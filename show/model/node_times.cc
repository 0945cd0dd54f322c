#include "show/model/node_times.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"

namespace onnxcmp {
namespace {

using TraceJson = nlohmann::json;
using Times = absl::flat_hash_map<std::pair<std::string, std::string>, double>;

std::string TextOf(const TraceJson& json, const char* member) {
  const auto it = json.find(member);
  return it != json.end() && it->is_string() ? it->get<std::string>() : "";
}

// By name and operator.
Times TimesOf(const TraceJson& events) {
  Times times;
  for (const TraceJson& event : events) {
    if (!event.is_object() || TextOf(event, "cat") != "node") continue;
    const auto args = event.find("args");
    const auto duration = event.find("dur");
    if (args == event.end() || !args->is_object() || duration == event.end() ||
        !duration->is_number() || !TextOf(*args, "path").empty()) {
      continue;
    }
    times[{TextOf(event, "name"), TextOf(*args, "op")}] += duration->get<double>();
  }
  return times;
}

std::pair<std::string, std::string> KeyOf(const ShownNode& node) {
  return {node.label(), OperatorName(node.domain, node.op_type)};
}

}  // namespace

absl::Status ReadNodeTimes(const std::string& path, ShownModel* model) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(OneLine(path), ": cannot be read"));
  const TraceJson json = TraceJson::parse(file, nullptr, /*allow_exceptions=*/false);
  const auto events = json.is_object() ? json.find("traceEvents") : json.end();
  if (!json.is_object() || events == json.end() || !events->is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(OneLine(path), ": has no traceEvents, as `onnxcmp run --trace` writes them"));
  }
  Times times = TimesOf(*events);
  absl::flat_hash_map<std::pair<std::string, std::string>, int> alike;
  for (const ShownNode& node : model->graph.nodes) ++alike[KeyOf(node)];
  bool any = false;
  for (ShownNode& node : model->graph.nodes) {
    const std::pair<std::string, std::string> key = KeyOf(node);
    const auto it = times.find(key);
    if (it == times.end() || alike[key] > 1) continue;
    node.microseconds = it->second;
    any = true;
  }
  return any ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   absl::StrCat(OneLine(path), ": has times of no node of ", OneLine(model->path)));
}

}  // namespace onnxcmp
