// Whoever runs a side's nodes where that is not our interpreter.
#ifndef ONNXCMP_RECORD_GRAPHS_NODE_RUNNER_H_
#define ONNXCMP_RECORD_GRAPHS_NODE_RUNNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class NodeRunner {
 public:
  virtual ~NodeRunner() = default;

  // As Evaluator::RunNode() has it, of the side's model.
  virtual absl::StatusOr<std::vector<Value>> RunNode(int64_t index, absl::Span<const Value> inputs,
                                                     const Feeds& captures) = 0;
  // "onnxruntime 1.32.0 CPU".
  virtual std::string name() const = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_NODE_RUNNER_H_
