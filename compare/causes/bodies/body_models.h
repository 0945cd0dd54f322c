// Parts of a model as models of their own: a node, or a graph that a node runs.
#ifndef ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_
#define ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A graph that a node runs, and the attribute that holds it; "" is the body of a local function
// that was kept as one node.
struct Body {
  std::string attribute;
  std::shared_ptr<const Graph> graph;
};
std::vector<Body> BodiesOf(const Node& node);

// The node's name in paths: its call path and its name, or the substitute if it has none. Results
// inside are at "PathOfNode[label]", where the label tells the branch or the iteration; those of a
// function at "PathOfNode".
std::string PathOfNode(const Node& node);

// An outer value that a body reads.
struct OuterValue {
  std::string name;
  Value value;
  bool constant = false;
};

// The node alone. Its inputs, captures included, are the model's inputs, each name once; its
// outputs that are wanted are the model's outputs.
std::shared_ptr<const Model> ModelOfNode(const Model& whole, const Node& node,
                                         absl::Span<const std::string> captures);

// A graph that a node runs. Outer values become further inputs, constants among them initializers;
// an outer value is left out if the graph itself defines its name. Inputs have no declared types:
// files are careless with those of bodies.
std::shared_ptr<const Model> ModelOfBody(const Model& whole, const Graph& body,
                                         absl::Span<const OuterValue> around);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_MODELS_H_
