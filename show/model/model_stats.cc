#include "show/model/model_stats.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "ops/operation_count.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostScopes = 24;

// A scope's first parts.
std::string Cut(const std::string& scope, size_t depth) {
  std::vector<absl::string_view> parts = absl::StrSplit(scope, '/', absl::SkipEmpty());
  if (parts.size() > depth) parts.resize(depth);
  return absl::StrJoin(parts, "/");
}

class StatsCollector {
 public:
  explicit StatsCollector(const ShownModel& model) : model_(model) {}

  ModelStats Collect() {
    Add(model_.graph);
    for (const ShownFunction& function : model_.functions) Add(function.body);
    AddScopes();
    std::stable_sort(stats_.operators.begin(), stats_.operators.end(),
                     [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
    std::stable_sort(stats_.types.begin(), stats_.types.end(),
                     [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
    return std::move(stats_);
  }

 private:
  using Constants = absl::flat_hash_map<std::string, const ShownConstant*>;

  // `outer`: constants of the graphs around.
  void Add(const ShownGraph& graph, Constants outer = {}) {
    for (const ShownConstant& constant : graph.constants) {
      outer[constant.name] = &constant;
      stats_.parameters += constant.elements;
      stats_.bytes += constant.bytes;
      AddType(constant);
    }
    for (const ShownNode& node : graph.nodes) {
      ++stats_.nodes;
      ModelStats::Operator& op = OperatorOf(node);
      ++op.nodes;
      ModelStats::Scope own = {.name = node.scope, .nodes = 1};
      for (const std::string& input : node.inputs) {
        const auto it = outer.find(input);
        if (it == outer.end() || !read_.insert(it->second).second) continue;
        own.parameters += it->second->elements;
        own.bytes += it->second->bytes;
      }
      op.parameters += own.parameters;
      op.bytes += own.bytes;
      if (node.operations.has_value()) {
        own.operations = *node.operations;
        op.operations += *node.operations;
        stats_.operations += *node.operations;
      } else if (CountsOperations(node.domain, node.op_type)) {
        ++op.not_counted;
        ++stats_.not_counted;
      }
      places_.push_back(std::move(own));
      for (const auto& [name, body] : node.graphs) Add(*body, outer);
    }
    for (const ShownConstant& constant : graph.constants) {
      const bool output = std::find(graph.outputs.begin(), graph.outputs.end(), constant.name) !=
                          graph.outputs.end();
      if (!output && !read_.contains(&constant)) ++stats_.unread;
    }
  }

  void AddType(const ShownConstant& constant) {
    auto it = std::find_if(stats_.types.begin(), stats_.types.end(),
                           [&](const auto& type) { return type.dtype == constant.dtype; });
    if (it == stats_.types.end()) {
      it = stats_.types.insert(it, ModelStats::Type{.dtype = constant.dtype});
    }
    ++it->constants;
    it->parameters += constant.elements;
    it->bytes += constant.bytes;
  }

  ModelStats::Operator& OperatorOf(const ShownNode& node) {
    const auto [it, added] = operators_.try_emplace(node.op(), stats_.operators.size());
    if (added) stats_.operators.push_back({.op = node.op()});
    return stats_.operators[it->second];
  }

  // As deep as a screenful of them allows.
  void AddScopes() {
    size_t depth = 0;
    for (size_t next = 1; next <= 8; ++next) {
      absl::flat_hash_set<std::string> names;
      for (const ModelStats::Scope& place : places_) names.insert(Cut(place.name, next));
      if (names.size() > kMostScopes) break;
      depth = next;
    }
    if (depth == 0) depth = 1;
    absl::flat_hash_map<std::string, size_t> index;
    for (const ModelStats::Scope& place : places_) {
      const auto [it, added] = index.try_emplace(Cut(place.name, depth), stats_.scopes.size());
      if (added) stats_.scopes.push_back({.name = it->first});
      ModelStats::Scope& scope = stats_.scopes[it->second];
      scope.nodes += place.nodes;
      scope.parameters += place.parameters;
      scope.bytes += place.bytes;
      scope.operations += place.operations;
    }
    if (stats_.scopes.size() == 1 && stats_.scopes[0].name.empty()) stats_.scopes.clear();
  }

  const ShownModel& model_;
  ModelStats stats_;
  absl::flat_hash_map<std::string, size_t> operators_;
  absl::flat_hash_set<const ShownConstant*> read_;
  std::vector<ModelStats::Scope> places_;  // one for each node
};

// A value that has a type and a shape but takes no memory: all elements are the same one. Empty if
// the shape is not known.
Value ShapeOnly(const ShownGraph& graph, const std::string& name) {
  const auto it = graph.types.find(name);
  if (name.empty() || it == graph.types.end() || it->second.kind != TypeInfo::Kind::kTensor ||
      !it->second.shape.has_value()) {
    return Value();
  }
  Shape shape;
  for (const TypeInfo::Dim& dim : *it->second.shape) {
    if (!dim.value.has_value() || *dim.value < 0) return Value();
    shape.push_back(*dim.value);
  }
  if (!NumElements(shape).has_value()) return Value();
  const Shape strides(shape.size(), 0);
  return Tensor::Scalar(0.0F).Strided(shape, strides, 0);
}

// Attributes by which operations are counted.
Node CountedNode(const ShownNode& shown) {
  Node node;
  node.domain = shown.domain;
  node.op_type = shown.op_type;
  for (const auto& [name, text] : shown.attributes) {
    if (name == "equation" && text.size() >= 2) {
      node.attributes[name] = text.substr(1, text.size() - 2);
    } else if (int64_t number = 0; absl::SimpleAtoi(text, &number)) {
      node.attributes[name] = number;
    }
  }
  return node;
}

}  // namespace

ModelStats StatsOf(const ShownModel& model) { return StatsCollector(model).Collect(); }

void CountOperations(ShownModel* model) {
  for (ShownNode& node : model->graph.nodes) {
    if (node.operations.has_value() || !CountsOperations(node.domain, node.op_type)) continue;
    std::vector<Value> inputs;
    std::vector<Value> outputs;
    for (const std::string& input : node.inputs) inputs.push_back(ShapeOnly(model->graph, input));
    for (const std::string& output : node.outputs) {
      outputs.push_back(ShapeOnly(model->graph, output));
    }
    node.operations = OperationCount(CountedNode(node), inputs, outputs);
  }
}

}  // namespace onnxcmp
