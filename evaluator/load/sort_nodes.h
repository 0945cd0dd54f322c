// Who makes what: names checked, nodes in an order in which they can run.
#ifndef ONNXCMP_EVALUATOR_LOAD_SORT_NODES_H_
#define ONNXCMP_EVALUATOR_LOAD_SORT_NODES_H_

#include "absl/status/status.h"

namespace onnx {
class FunctionProto;
class GraphProto;
}  // namespace onnx

namespace onnxcmp {

// Puts the nodes of a graph, and of the graphs in them, in an order in which each comes after those
// that make its inputs (its subgraphs' too). Nodes that are in such an order stay as they are;
// others move up to just before the first that needs them. Errors: a name made twice, a name that
// nothing makes, nodes that need each other.
absl::Status SortNodes(onnx::GraphProto* graph);

// The same for a function's body, which sees nothing but its inputs.
absl::Status SortNodes(onnx::FunctionProto* function);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_SORT_NODES_H_
