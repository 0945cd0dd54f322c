// Nodes, graphs and types back to ONNX's messages: for its code that builds functions' bodies, and
// for models that are written.
#ifndef ONNXCMP_EVALUATOR_LOAD_NODE_PROTO_H_
#define ONNXCMP_EVALUATOR_LOAD_NODE_PROTO_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "evaluator/model/model.h"

namespace onnx {
class GraphProto;
class NodeProto;
class TypeProto;
}  // namespace onnx

namespace onnxcmp {

// Nothing is set for an unknown kind.
void TypeToProto(const TypeInfo& type, onnx::TypeProto* proto);

// Adds a node to the message of its graph.
using AddNode = absl::FunctionRef<absl::Status(const Node& node, onnx::GraphProto* graph)>;

// A graph, and a node with its attributes; `add` writes the nodes of graphs, also in attributes.
absl::Status GraphToProto(const Graph& graph, onnx::GraphProto* proto, AddNode add);
absl::Status NodeToProto(const Node& node, onnx::NodeProto* proto, AddNode add);

// The node with its attributes. Nodes in graphs of attributes are only stand-ins: they have inputs
// and outputs, the domain ModelBuilder::kGivenDomain and as op_type their number in `inner`, to
// which they are appended. So what only we know of them (imports, attributes) need not survive.
absl::Status NodeToProto(const Node& node, onnx::NodeProto* proto, std::vector<const Node*>* inner);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_NODE_PROTO_H_
