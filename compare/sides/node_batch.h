// Nodes that a runtime runs on values of their own, many in one model in which nothing connects
// them: a session for each would take longer than they do.
#ifndef ONNXCMP_COMPARE_SIDES_NODE_BATCH_H_
#define ONNXCMP_COMPARE_SIDES_NODE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/ahead_runner.h"
#include "record/runtimes/runtime.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

class NodeBatch {
 public:
  // Both must outlive the object.
  NodeBatch(const Model& model, Runtime* runtime) : model_(model), runtime_(*runtime) {}
  ~NodeBatch();
  NodeBatch(const NodeBatch&) = delete;
  NodeBatch& operator=(const NodeBatch&) = delete;

  // Leaves out nodes with graphs inside, and what the runtime does not run.
  void Run(std::vector<NodeOnValues> nodes);
  // The outputs of a node, if it ran on these inputs.
  std::optional<std::vector<Value>> OutputsOf(int64_t index, absl::Span<const Value> inputs) const;

 private:
  struct Ran {
    std::vector<Hash128> inputs;
    size_t run = 0;
  };
  // All in one run; in halves if that fails.
  void RunPart(absl::Span<const NodeOnValues> nodes);
  bool RunAtOnce(absl::Span<const NodeOnValues> nodes);

  const Model& model_;
  Runtime& runtime_;
  std::vector<RuntimeValues> runs_;
  std::map<int64_t, Ran> ran_;  // by node
  int failures_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_NODE_BATCH_H_
