#include "evaluator/run/profile.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "evaluator/model/node_text.h"

namespace onnxcmp {
namespace {

std::chrono::nanoseconds SteadyTime() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

int64_t BytesOf(const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) return tensor.byte_size();
  int64_t bytes = 0;
  if (tensor.is_contiguous()) {
    for (const std::string& text : tensor.AsSpan<std::string>()) {
      bytes += static_cast<int64_t>(text.size());
    }
  }
  return bytes;
}

int64_t BytesOf(const Value& value) {
  if (value.is_tensor()) return BytesOf(value.tensor());
  if (value.is_optional()) {
    const Value* element = value.optional().element.get();
    return element == nullptr ? 0 : BytesOf(*element);
  }
  if (value.is_map()) return BytesOf(value.map().keys) + BytesOf(*value.map().values);
  if (value.is_sparse()) return BytesOf(value.sparse().values) + BytesOf(value.sparse().indices);
  int64_t bytes = 0;
  if (value.is_sequence()) {
    for (const Value& element : value.sequence().elements) bytes += BytesOf(element);
  }
  return bytes;
}

// Shows elements of one of these, and has none of its own.
bool IsViewOf(const Value& value, absl::Span<const Value> inputs) {
  if (!value.is_tensor() || value.tensor().num_elements() == 0) return false;
  return std::any_of(inputs.begin(), inputs.end(), [&](const Value& input) {
    return input.is_tensor() && input.tensor().buffer() == value.tensor().buffer();
  });
}

int64_t BytesOf(const NodeEnd& end) {
  int64_t made = 0;
  bool all_views = true;
  for (const Value& output : end.outputs) {
    if (output.empty() || IsViewOf(output, end.inputs)) continue;
    all_views = false;
    made += BytesOf(output);
  }
  if (all_views) return 0;
  for (const Value& input : end.inputs) made += BytesOf(input);
  return made;
}

std::vector<std::string> TypeStrings(absl::Span<const Value> values) {
  std::vector<std::string> types;
  types.reserve(values.size());
  for (const Value& value : values) types.push_back(value.TypeString());
  return types;
}

}  // namespace

Profiler::Profiler(ProfilerOptions options) : options_(std::move(options)) {
  if (!options_.clock) options_.clock = SteadyTime;
}

void Profiler::OnNodeStart(const NodeStart& start) {
  const Time entered = options_.clock();
  if (profile_.nodes.empty()) running_[0].entered = entered;
  const int node = NodeOf(start);
  const absl::string_view label = NodeLabel(start.node);
  running_.push_back({.node = node,
                      .inner_prefix = start.path.empty() ? std::string(label)
                                                         : absl::StrCat(start.path, "/", label),
                      .entered = entered});
  running_.back().started = options_.clock();
}

void Profiler::OnNodeEnd(const NodeEnd& end) {
  const Time now = options_.clock();
  const Running running = std::move(running_.back());
  running_.pop_back();
  const Time duration = now - running.started;
  Running& around = running_.back();
  around.taken_by_profiler += running.started - running.entered + running.taken_by_profiler;
  NodeProfile& node = profile_.nodes[static_cast<size_t>(running.node)];
  node.total += duration - running.taken_by_profiler;
  node.own += duration - running.inside;
  NodeRun run;
  run.node = running.node;
  run.start = running.started - running_[0].entered;
  run.duration = duration;
  Count(end, run);
  if (running_.size() == 1) profile_.duration = now - around.entered - around.taken_by_profiler;
  const Time left = options_.clock();
  around.inside += left - running.entered;
  around.taken_by_profiler += left - now;
}

void Profiler::Count(const NodeEnd& end, NodeRun run) {
  NodeProfile& node = profile_.nodes[static_cast<size_t>(run.node)];
  run.bytes = BytesOf(end);
  if (options_.operations) run.operations = options_.operations(end.node, end.inputs, end.outputs);
  const bool is_first = node.runs++ == 0;
  node.bytes += run.bytes;
  if (is_first) {
    node.operations = run.operations;
  } else if (node.operations.has_value() && run.operations.has_value()) {
    *node.operations += *run.operations;
  } else {
    node.operations.reset();
  }
  if (!is_first && !options_.keep_runs) return;
  run.types = TypesOf(end);
  if (is_first) node.first_types = run.types;
  if (options_.keep_runs) profile_.runs.push_back(run);
}

int Profiler::NodeOf(const NodeStart& start) {
  const int parent = running_.back().node;
  std::string path = PathOf(start);
  const Node& node = start.node;
  const std::string key =
      absl::StrCat(parent, "\n", path, "\n", node.name, "\n", node.domain, "\n", node.op_type, "\n",
                   node.outputs.empty() ? "" : node.outputs[0]);
  const auto [found, is_new] = index_.try_emplace(key, static_cast<int>(profile_.nodes.size()));
  if (is_new) {
    if (parent >= 0) profile_.nodes[static_cast<size_t>(parent)].has_inner_nodes = true;
    NodeProfile& profile = profile_.nodes.emplace_back();
    profile.name = std::string(NodeLabel(node));
    profile.domain = node.domain;
    profile.op_type = node.op_type;
    profile.path = std::move(path);
    profile.parent = parent;
  }
  return found->second;
}

// The path without numbers of iterations. Only what follows the node around is looked at, so that
// brackets in names stay as they are.
std::string Profiler::PathOf(const NodeStart& start) const {
  const Running& around = running_.back();
  if (around.node < 0) return std::string(start.path);
  const NodeProfile& node = profile_.nodes[static_cast<size_t>(around.node)];
  absl::string_view rest = start.path;
  if (!absl::ConsumePrefix(&rest, around.inner_prefix)) return std::string(start.path);
  const std::string prefix =
      node.path.empty() ? node.name : absl::StrCat(node.path, "/", node.name);
  absl::string_view behind = rest;
  if (absl::ConsumePrefix(&behind, "[")) {
    const size_t digits = static_cast<size_t>(
        std::find_if_not(behind.begin(), behind.end(), absl::ascii_isdigit) - behind.begin());
    behind.remove_prefix(digits);
    if (digits > 0 && absl::ConsumePrefix(&behind, "]")) {
      return absl::StrCat(prefix, "[*]", behind);
    }
  }
  return absl::StrCat(prefix, rest);
}

int Profiler::TypesOf(const NodeEnd& end) {
  const auto [found, is_new] = types_.try_emplace(
      {TypeStrings(end.inputs), TypeStrings(end.outputs)}, static_cast<int>(profile_.types.size()));
  if (is_new) profile_.types.push_back(found->first);
  return found->second;
}

}  // namespace onnxcmp
