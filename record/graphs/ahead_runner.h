// A runner of nodes that is quicker if it knows many of them in advance.
#ifndef ONNXCMP_RECORD_GRAPHS_AHEAD_RUNNER_H_
#define ONNXCMP_RECORD_GRAPHS_AHEAD_RUNNER_H_

#include <cstdint>
#include <vector>

#include "evaluator/tensor/value.h"
#include "record/graphs/node_runner.h"

namespace onnxcmp {

struct NodeOnValues {
  int64_t index = 0;  // among the main graph's nodes
  std::vector<Value> inputs;
};

class AheadRunner : public NodeRunner {
 public:
  // Runs unconnected nodes, in as few runs as possible. RunNode() of one of them on the same values
  // then returns these results; it tries nodes that could not run again.
  virtual void RunAhead(std::vector<NodeOnValues> nodes) = 0;
  // False: it runs the program that the model was exported from, whose nodes do not run alone. Then
  // the model does not define its values.
  virtual bool runs_model() const = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_AHEAD_RUNNER_H_
