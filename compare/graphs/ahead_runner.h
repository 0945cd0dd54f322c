// A runner of nodes that is quicker if it knows many of them in advance.
#ifndef ONNXCMP_COMPARE_GRAPHS_AHEAD_RUNNER_H_
#define ONNXCMP_COMPARE_GRAPHS_AHEAD_RUNNER_H_

#include <cstdint>
#include <vector>

#include "compare/graphs/node_runner.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

struct NodeOnValues {
  int64_t index = 0;  // among the main graph's nodes
  std::vector<Value> inputs;
};

class AheadRunner : public NodeRunner {
 public:
  // Runs nodes that nothing connects, in as few runs as will do. RunNode() of one of them on the
  // same values then has its results; of those that could not run it does so again.
  virtual void RunAhead(std::vector<NodeOnValues> nodes) = 0;
  // False: it runs a program that the model was made of, whose nodes do not run alone. Then the
  // model does not say what its values ought to be.
  virtual bool runs_model() const = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_GRAPHS_AHEAD_RUNNER_H_
