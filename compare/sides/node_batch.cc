#include "compare/sides/node_batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/value_type.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/work_bounds.h"
#include "record/runtimes/model_files.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;  // of inputs of one run

bool HasGraphs(const Node& node) {
  if (node.body != nullptr) return true;
  return std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second) ||
           std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(attribute.second);
  });
}

int64_t BytesOf(const NodeOnValues& node) {
  int64_t bytes = 0;
  for (const Value& input : node.inputs) {
    if (input.is_tensor()) bytes += input.tensor().num_elements() * 8;
  }
  return bytes;
}

// An input of its own for a node; outputs have other names anyway.
std::string InputName(int64_t index, absl::string_view name) {
  return absl::StrCat("node_", index, "/", name);
}

// Nodes as a model, each with inputs of its own; they share constants.
class Gathered {
 public:
  explicit Gathered(const Model& model) : constants_(ConstantNames(model.graph)) {
    made_.ir_version = model.ir_version;
    made_.producer = "onnxcmp";
    made_.imports = model.imports;
    made_.graph.name = model.graph.name;
  }

  absl::Status Add(const Node& node, const NodeOnValues& values) {
    Node own = node;
    absl::flat_hash_set<std::string> known;
    for (size_t i = 0; i < std::min(node.inputs.size(), values.inputs.size()); ++i) {
      const std::string& name = node.inputs[i];
      const Value& value = values.inputs[i];
      if (name.empty() || value.empty()) continue;
      if (constants_.contains(name) && value.is_tensor()) {
        // The other side's constant of this name may have other numbers.
        const Elements elements = {value.tensor().buffer().get(), value.tensor().offset()};
        const auto [added, first] = added_.emplace(name, elements);
        if (first) made_.graph.initializers.push_back({name, value});
        if (added->second == elements) continue;
      }
      own.inputs[i] = InputName(values.index, name);
      if (!known.insert(own.inputs[i]).second) continue;
      OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(value));
      made_.graph.inputs.push_back({own.inputs[i], std::move(type)});
      feeds_[own.inputs[i]] = value;
    }
    for (const std::string& output : own.outputs) {
      if (!output.empty()) made_.graph.outputs.push_back({output, TypeInfo()});
    }
    made_.graph.nodes.push_back(std::move(own));
    return absl::OkStatus();
  }

  const Model& model() const { return made_; }
  const Feeds& feeds() const { return feeds_; }

 private:
  using Elements = std::pair<const Buffer*, int64_t>;  // where they lie

  const absl::flat_hash_set<absl::string_view> constants_;
  absl::flat_hash_map<std::string, Elements> added_;  // initializers
  Model made_;
  Feeds feeds_;
};

}  // namespace

NodeBatch::~NodeBatch() {
  for (const RuntimeValues& run : runs_) runtime_.Remove(run);
}

void NodeBatch::Run(std::vector<NodeOnValues> nodes) {
  const auto size = static_cast<int64_t>(model_.graph.nodes.size());
  std::erase_if(nodes, [&](const NodeOnValues& node) {
    if (node.index < 0 || node.index >= size) return true;
    const Node& own = model_.graph.nodes[static_cast<size_t>(node.index)];
    return HasGraphs(own) || (own.imports != nullptr && *own.imports != model_.imports);
  });
  const absl::Span<const NodeOnValues> all = nodes;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    int64_t bytes = 0;
    while (end < all.size() && end - begin < work_bounds::kManyCandidates) {
      bytes += BytesOf(all[end]);
      if (end > begin && bytes > kMostBytes) break;
      ++end;
    }
    RunPart(all.subspan(begin, end - begin));
    begin = end;
  }
}

void NodeBatch::RunPart(absl::Span<const NodeOnValues> nodes) {
  // One alone may as well run when it is asked for.
  if (nodes.size() < 2 || failures_ >= work_bounds::kTrials || RunAtOnce(nodes)) return;
  ++failures_;
  const size_t half = nodes.size() / 2;
  RunPart(nodes.first(half));
  RunPart(nodes.subspan(half));
}

bool NodeBatch::RunAtOnce(absl::Span<const NodeOnValues> nodes) {
  Gathered gathered(model_);
  for (const NodeOnValues& node : nodes) {
    const Node& own = model_.graph.nodes[static_cast<size_t>(node.index)];
    if (!gathered.Add(own, node).ok()) return false;
  }
  absl::StatusOr<RuntimeValues> values =
      RunModelFile(gathered.model(), gathered.feeds(), &runtime_);
  if (!values.ok()) return false;
  for (const NodeOnValues& node : nodes) {
    Ran& ran = ran_[node.index];
    ran.run = runs_.size();
    ran.inputs.clear();
    for (const Value& input : node.inputs) {
      ran.inputs.push_back(input.empty() ? Hash128() : ContentOf(input));
    }
  }
  runs_.push_back(*std::move(values));
  return true;
}

std::optional<std::vector<Value>> NodeBatch::OutputsOf(int64_t index,
                                                       absl::Span<const Value> inputs) const {
  const auto it = ran_.find(index);
  if (it == ran_.end() || it->second.inputs.size() != inputs.size()) return std::nullopt;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Hash128 content = inputs[i].empty() ? Hash128() : ContentOf(inputs[i]);
    if (content != it->second.inputs[i]) return std::nullopt;
  }
  std::vector<Value> outputs;
  for (const std::string& name : model_.graph.nodes[static_cast<size_t>(index)].outputs) {
    if (name.empty()) {
      outputs.emplace_back();
      continue;
    }
    absl::StatusOr<Value> value = runtime_.Read(runs_[it->second.run], name);
    if (!value.ok()) return std::nullopt;
    outputs.push_back(*std::move(value));
  }
  return outputs;
}

}  // namespace onnxcmp
