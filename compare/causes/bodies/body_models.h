// Parts of a model as models of their own: a node, and a graph that a node runs.
#ifndef ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_
#define ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A graph that a node runs, and the attribute that has it; "" is the body of a local function that
// was kept as one node.
struct Body {
  std::string attribute;
  std::shared_ptr<const Graph> graph;
};
std::vector<Body> BodiesOf(const Node& node);

// What paths call a node: its call path and its name, or what stands for it if it has none. Results
// inside are at "PathOfNode[label]", where the label tells the branch or the iteration; those of a
// function at "PathOfNode".
std::string PathOfNode(const Node& node);

// What a body reads of the graph around it.
struct OuterValue {
  std::string name;
  Value value;
  bool constant = false;
};

// The node alone. What it reads, captures included, are the inputs, each name once; its outputs
// that are wanted are the outputs.
std::shared_ptr<const Model> ModelOfNode(const Model& whole, const Node& node,
                                         absl::Span<const std::string> captures);

// A graph that a node runs. Outer values are further inputs, constants among them initializers;
// those whose name the graph itself gives to something are left out. Inputs have no declared types:
// files are careless with those of bodies.
std::shared_ptr<const Model> ModelOfBody(const Model& whole, const Graph& body,
                                         absl::Span<const OuterValue> around);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_
