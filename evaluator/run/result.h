// The yield of an evaluation: a stream of results, each given to an observer when it appears.
#ifndef ONNXCMP_EVALUATOR_RUN_RESULT_H_
#define ONNXCMP_EVALUATOR_RUN_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

enum class ResultKind : uint8_t { kInitializer, kInput, kResult, kOutput };

absl::string_view ResultKindName(ResultKind kind);  // "INITIALIZER", "INPUT", "RESULT", "OUTPUT"

// Valid only during the observer's call; copy what is needed (copying a Value shares its buffer).
struct Result {
  ResultKind kind;
  absl::string_view name;
  const Node* node = nullptr;  // who made it; null unless kResult
  // Where it was made: names of function calls, of nodes with subgraphs with the branch or the
  // iteration in brackets, joined by '/': "decoder/loop_1[3]/attention_0"; "" in the main graph.
  absl::string_view path;
  // 0: main graph (and functions inlined into it); n: n subgraphs deep.
  int depth = 0;
  const Value& value;
};

// A node that is about to run.
struct NodeStart {
  const Node& node;
  absl::string_view path;
  int64_t index;  // of this node in the main graph, 0-based (subgraph nodes: of the outermost node)
  int64_t total;  // nodes of the main graph
};

// A node that has run; its results are reported after this.
struct NodeEnd {
  const Node& node;
  absl::string_view path;
  absl::Span<const Value> inputs;   // empty: left out
  absl::Span<const Value> outputs;  // empty: not wanted
};

// A graph that is about to run for a node: a branch, an iteration.
struct GraphStart {
  const Node& node;
  const Graph& graph;
  absl::string_view path;  // where its nodes run, call paths of their own apart
  int depth;               // of its results
  // Values of graph.inputs in order. Those that are left out at the end have an initializer.
  absl::Span<const Value> inputs;
};

// A node of a graph whose results are reported, with what it runs on. Nodes that have graphs of
// their own (subgraphs, a local function that is kept as one node) are none of these.
struct PendingNode {
  const Node& node;
  absl::string_view path;          // where its results are made, as Result::path
  absl::Span<const Value> inputs;  // as node.inputs; empty: absent
  int depth;                       // as Result::depth
  uint64_t random_seed;            // KernelContext::random_seed()
};

// The order: initializers, inputs, then for each node its outputs (before them the results inside
// its subgraphs), then the graph's outputs. Initializers of subgraphs are not reported.
class Observer {
 public:
  virtual ~Observer() = default;
  // Every node that runs, those of bodies too, whose results are not reported. Between the two come
  // the nodes of its subgraphs and of its body; a node that fails has no end.
  virtual void OnNodeStart(const NodeStart& /*start*/) {}
  virtual void OnNodeEnd(const NodeEnd& /*end*/) {}
  // Subgraphs whose results are reported. A graph ends where another starts at its depth or less,
  // or a result is reported above it.
  virtual void OnGraphStart(const GraphStart& /*start*/) {}
  // Asked before a node runs. Values for its outputs (empty: not wanted) are taken in the place of
  // what it would compute, so they must be these bits; nothing: it runs.
  virtual std::optional<std::vector<Value>> KnownOutputs(const PendingNode& /*run*/) {
    return std::nullopt;
  }
  // The outputs of such a node after it ran, before its results are reported. `drew`: it asked for
  // the random seed. An output may be replaced by a value of the same bits and layout.
  virtual void OnNodeOutputs(const PendingNode& /*run*/, absl::Span<Value> /*outputs*/,
                             bool /*drew*/) {}
  // Sets *replacement to make the run go on with another value under this name.
  virtual absl::Status OnResult(const Result& result, std::optional<Value>* replacement) = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_RESULT_H_
