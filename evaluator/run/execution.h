// A run that is under way: frames of values, the main graph's next node, the observer.
#ifndef ONNXCMP_EVALUATOR_RUN_EXECUTION_H_
#define ONNXCMP_EVALUATOR_RUN_EXECUTION_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/plan/plan.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The values of one graph while it runs.
struct Frame {
  const Value& at(Slot slot) const {
    return given != nullptr ? given->at(slot) : slots[static_cast<size_t>(slot)];
  }

  const GraphPlan* plan;
  // Where the graph stands: the path of results made in it is prefix / the node's own call path.
  std::string prefix;
  // Call path of the node that the graph belongs to: what `prefix` already says of call paths.
  absl::string_view outer_call_path;
  int depth;
  bool observed;  // bodies of functions kept as one node are not
  std::vector<Value> slots;
  // Instead of `slots`: what the subgraphs of a single node may read of the graph around them.
  const std::map<Slot, Value>* given = nullptr;
};

class Execution {
 public:
  Execution(std::shared_ptr<const Plan> plan, std::shared_ptr<const ThreadPool> pool,
            const EvaluatorOptions& options, Observer* observer);

  // Puts the feeds into their slots, checked against the graph's inputs.
  absl::Status Feed(const Feeds& feeds);
  absl::StatusOr<bool> Step();
  std::vector<Value> TakeOutputs();

  // Runs one node of the main graph on these inputs (empty: absent), without observer. `captured`:
  // what its subgraphs read of the main graph.
  absl::StatusOr<std::vector<Value>> RunAlone(const NodePlan& node, absl::Span<const Value> inputs,
                                              const std::map<Slot, Value>& captured);

 private:
  class Context;

  // Runs a whole graph that belongs to a node, values for its captures being in `outer`.
  absl::StatusOr<std::vector<Value>> RunGraph(const GraphPlan& plan, std::vector<Value> inputs,
                                              const Frame* outer, Frame frame);
  absl::Status RunNode(const NodePlan& node, Frame* frame);
  // The outputs of a node of an observed graph: what the observer knows, or what is computed.
  absl::StatusOr<std::vector<Value>> KnownOrComputed(const NodePlan& node,
                                                     absl::Span<const Value> inputs,
                                                     const Frame& frame, absl::string_view path);
  // The seed of this run for a node at that place.
  uint64_t RandomSeed(const Node& node, absl::string_view path) const;
  // The node's outputs, checked: one for each that is wanted.
  absl::StatusOr<std::vector<Value>> Compute(const NodePlan& node, absl::Span<const Value> inputs,
                                             const Frame& frame, absl::string_view path);
  absl::Status MakeDouble(std::vector<Value>* values) const;
  // Counts one towards the limit.
  absl::Status CountStep();
  absl::Status ReportInitializersAndInputs();
  absl::Status ReportOutputs();
  // Gives a result to the observer, which may replace it.
  absl::Status Report(ResultKind kind, absl::string_view name, const Node* node,
                      absl::string_view path, int depth, Value* value);

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<const ThreadPool> pool_;
  EvaluatorOptions options_;
  std::shared_ptr<MemoryAccount> account_;
  Observer* observer_;
  Frame main_;
  std::vector<bool> fed_;  // by graph input
  bool started_ = false;
  bool over_ = false;  // it has come to its end, or failed
  size_t next_ = 0;
  int64_t steps_ = 0;
  mutable std::atomic<int64_t> draws_ = 0;  // how often kernels asked for a random seed
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_EXECUTION_H_
