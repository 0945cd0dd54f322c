// A side for the search for causes: the results of its main graph and the nodes between them. A
// node with subgraphs is one node.
#ifndef ONNXCMP_RECORD_GRAPHS_SIDE_GRAPH_H_
#define ONNXCMP_RECORD_GRAPHS_SIDE_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/node_runner.h"
#include "record/graphs/reach.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class SideGraph {
 public:
  struct GraphNode {
    const StreamNode* made = nullptr;
    const Node* node = nullptr;  // null: there is no model
    int64_t index = kNone;       // index among the main graph's nodes
    FewResults captures;         // results, in the order of capture_names
    std::vector<std::string> capture_names;
  };

  // `evaluator`: null for a recording, whose nodes cannot run. Of a stream in common
  // form (InCommonForm) Run() takes and gives values in that form, too.
  // `runner`: what runs the side's nodes if that is not the evaluator; else null.
  SideGraph(const ResultStream& stream, const Evaluator* evaluator, NodeRunner* runner = nullptr);

  const ResultStream& stream() const { return stream_; }
  const StreamResult& result(int r) const { return stream_.results[Index(r)]; }
  // Results of the main graph in order, without the outputs, which repeat others.
  const std::vector<int>& results() const { return results_; }
  // The main graph's outputs: the output's result, and the one that it repeats.
  const std::vector<std::pair<int, int>>& outputs() const { return outputs_; }
  const std::vector<GraphNode>& nodes() const { return nodes_; }
  const GraphNode& node(int n) const { return nodes_[Index(n)]; }
  // The node that made a result, kNone if there is none; the nodes that read it, each once.
  int producer(int r) const { return producers_[Index(r)]; }
  const std::vector<int>& readers(int r) const { return readers_[Index(r)]; }
  // All results that a node reads: its inputs and captures.
  std::vector<int> Reads(int n) const;
  // The results that one is computed from, and those that are computed from it; some may be listed
  // twice. Nothing before kNone.
  std::vector<int> Before(int r) const;
  std::vector<int> After(int r) const;
  // Visits all results before or after some, as Reach() does.
  void ReachBefore(const std::vector<int>& results, absl::FunctionRef<bool(int)> passes,
                   size_t most = kUnlimited, int hops = std::numeric_limits<int>::max()) const;
  void ReachAfter(const std::vector<int>& results, absl::FunctionRef<bool(int)> passes,
                  size_t most = kUnlimited, int hops = std::numeric_limits<int>::max()) const;
  // An initializer, or the result of a node that reads nothing.
  bool IsConstant(int r) const;
  // By result: true if it depends on constants alone.
  std::vector<bool> FixedResults() const;
  bool IsComputed(int r) const { return producer(r) != kNone && !IsConstant(r); }

  bool runs() const { return evaluator_ != nullptr; }
  const Evaluator* evaluator() const { return evaluator_; }
  // Null: the evaluator runs the side's nodes.
  NodeRunner* runner() const { return runner_; }
  // Runs a node in our interpreter, on the values that `value` returns for its inputs.
  absl::StatusOr<std::vector<Value>> Run(int n, absl::FunctionRef<const Value&(int r)> value) const;
  // The same where the side runs.
  absl::StatusOr<std::vector<Value>> RunAsSide(int n,
                                               absl::FunctionRef<const Value&(int r)> value) const;
  // Converts a value of result r from the model's form to the stream's, and back. They differ if
  // the stream is in common form.
  Value FromModel(int r, const Value& value) const;
  Value ForModel(int r, const Value& value) const;

 private:
  absl::StatusOr<std::vector<Value>> RunIn(NodeRunner* runner, int n,
                                           absl::FunctionRef<const Value&(int r)> value) const;

  const ResultStream& stream_;
  const Evaluator* evaluator_;
  NodeRunner* runner_;
  std::vector<int> results_;
  std::vector<std::pair<int, int>> outputs_;
  std::vector<GraphNode> nodes_;
  std::vector<int> producers_;
  std::vector<std::vector<int>> readers_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_SIDE_GRAPH_H_
