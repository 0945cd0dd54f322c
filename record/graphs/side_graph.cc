#include "record/graphs/side_graph.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "record/streams/common_form.h"

namespace onnxcmp {

SideGraph::SideGraph(const ResultStream& stream, const Evaluator* evaluator, NodeRunner* runner)
    : stream_(stream),
      evaluator_(evaluator),
      runner_(runner),
      producers_(stream.results.size(), kNone),
      readers_(stream.results.size()) {
  absl::flat_hash_map<absl::string_view, int64_t> makers;
  if (evaluator != nullptr) {
    const std::vector<Node>& nodes = evaluator->model().graph.nodes;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (const std::string& output : nodes[i].outputs) {
        if (!output.empty()) makers[output] = static_cast<int64_t>(i);
      }
    }
  }
  absl::flat_hash_map<absl::string_view, int> by_name;
  for (size_t i = 0; i < stream.results.size(); ++i) {
    const StreamResult& result = stream.results[i];
    if (result.depth > 0) continue;
    const auto r = static_cast<int>(i);
    if (result.kind == ResultKind::kOutput) {
      outputs_.emplace_back(r, result.source);
    } else {
      results_.push_back(r);
      by_name[result.name] = r;
    }
  }
  for (const StreamNode& made : stream.nodes) {
    const auto first = std::find_if(made.outputs.begin(), made.outputs.end(),
                                    [](int output) { return output != kNone; });
    if (first == made.outputs.end() || result(*first).depth > 0) continue;
    const auto n = static_cast<int>(nodes_.size());
    GraphNode& node = nodes_.emplace_back();
    node.made = &made;
    for (const int output : made.outputs) {
      if (output != kNone) producers_[Index(output)] = n;
    }
    const auto maker = makers.find(result(*first).name);
    if (maker == makers.end()) {
      node.captures = made.captures;
    } else {
      node.index = maker->second;
      node.node = &evaluator->model().graph.nodes[static_cast<size_t>(node.index)];
      for (std::string& name : evaluator->CapturesOf(node.index)) {
        const auto captured = by_name.find(name);
        if (captured == by_name.end()) continue;
        node.captures.push_back(captured->second);
        node.capture_names.push_back(std::move(name));
      }
    }
    for (const int r : Reads(n)) {
      std::vector<int>& readers = readers_[Index(r)];
      if (readers.empty() || readers.back() != n) readers.push_back(n);
    }
  }
}

std::vector<int> SideGraph::Reads(int n) const {
  std::vector<int> reads;
  reads.reserve(node(n).made->inputs.size() + node(n).captures.size());
  for (const int input : node(n).made->inputs) {
    if (input != kNone) reads.push_back(input);
  }
  reads.insert(reads.end(), node(n).captures.begin(), node(n).captures.end());
  return reads;
}

std::vector<int> SideGraph::Before(int r) const {
  return r == kNone || producer(r) == kNone ? std::vector<int>() : Reads(producer(r));
}

std::vector<int> SideGraph::After(int r) const {
  std::vector<int> after;
  for (const int n : readers(r)) {
    absl::c_copy_if(node(n).made->outputs, std::back_inserter(after),
                    [](int output) { return output != kNone; });
  }
  return after;
}

void SideGraph::ReachBefore(const std::vector<int>& results, absl::FunctionRef<bool(int)> passes,
                            size_t most, int hops) const {
  std::vector<int> first;
  for (const int r : results) absl::c_copy(Before(r), std::back_inserter(first));
  Reach(
      std::move(first), [&](int r) { return Before(r); }, passes, most, hops);
}

void SideGraph::ReachAfter(const std::vector<int>& results, absl::FunctionRef<bool(int)> passes,
                           size_t most, int hops) const {
  std::vector<int> first;
  for (const int r : results) absl::c_copy(After(r), std::back_inserter(first));
  Reach(
      std::move(first), [&](int r) { return After(r); }, passes, most, hops);
}

bool SideGraph::IsConstant(int r) const {
  const int n = producer(r);
  if (n == kNone) return result(r).kind == ResultKind::kInitializer;
  // A node that makes random numbers has no inputs either, but is no constant.
  return node(n).made->op_type == "Constant" && Reads(n).empty();
}

std::vector<bool> SideGraph::FixedResults() const {
  std::vector<bool> fixed(stream_.results.size());
  for (const int r : results()) {
    const int n = producer(r);
    if (n == kNone || IsConstant(r)) {
      fixed[Index(r)] = IsConstant(r);
      continue;
    }
    const std::vector<int> reads = Reads(n);
    fixed[Index(r)] = !reads.empty() && std::all_of(reads.begin(), reads.end(),
                                                    [&](int read) { return fixed[Index(read)]; });
  }
  return fixed;
}

absl::StatusOr<std::vector<Value>> SideGraph::Run(
    int n, absl::FunctionRef<const Value&(int r)> value) const {
  return RunIn(nullptr, n, value);
}

absl::StatusOr<std::vector<Value>> SideGraph::RunAsSide(
    int n, absl::FunctionRef<const Value&(int r)> value) const {
  return RunIn(runner_, n, value);
}

absl::StatusOr<std::vector<Value>> SideGraph::RunIn(
    NodeRunner* runner, int n, absl::FunctionRef<const Value&(int r)> value) const {
  const GraphNode& node = this->node(n);
  if (node.index == kNone) return absl::FailedPreconditionError("no model is known for the node");
  std::vector<Value> inputs;
  inputs.reserve(node.made->inputs.size());
  for (const int input : node.made->inputs) {
    inputs.push_back(input == kNone ? Value() : ForModel(input, value(input)));
  }
  Feeds captures;
  for (size_t i = 0; i < node.captures.size(); ++i) {
    captures[node.capture_names[i]] = ForModel(node.captures[i], value(node.captures[i]));
  }
  OC_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                      runner != nullptr ? runner->RunNode(node.index, inputs, captures)
                                        : evaluator_->RunNode(node.index, inputs, captures));
  for (size_t i = 0; i < std::min(outputs.size(), node.made->outputs.size()); ++i) {
    const int output = node.made->outputs[i];
    if (output != kNone) outputs[i] = FromModel(output, outputs[i]);
  }
  return outputs;
}

Value SideGraph::FromModel(int r, const Value& value) const {
  if (!stream_.in_form || !result(r).form.any() || value.empty()) return value;
  absl::StatusOr<Value> form = InForm(value, result(r).form);
  return form.ok() ? *std::move(form) : Value();
}

Value SideGraph::ForModel(int r, const Value& value) const {
  if (!stream_.in_form || !result(r).form.any() || value.empty()) return value;
  absl::StatusOr<Value> own = FromForm(value, result(r).form);
  return own.ok() ? *std::move(own) : Value();
}

}  // namespace onnxcmp
