// The body of an operator: a graph of other operators, where ONNX's schema defines it so.
#ifndef ONNXCMP_EVALUATOR_LOAD_FUNCTION_BODY_H_
#define ONNXCMP_EVALUATOR_LOAD_FUNCTION_BODY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"

namespace onnx {
class FunctionProto;
}  // namespace onnx

namespace onnxcmp {

enum class BodyKind : uint8_t {
  kNone,
  kStatic,     // the same for all nodes, but for attributes and inputs that are left out
  kDependent,  // made for each node from its attributes and the types of its inputs
};

// The kind of body that a schema has in this opset version of its domain.
BodyKind BodyKindOf(const onnx::OpSchema& schema, int64_t opset_version);

// The operator that a node means.
struct ResolvedOperator {
  const onnx::OpSchema* schema = nullptr;
  int64_t opset_version = 0;              // of the schema's domain
  const OpsetImports* imports = nullptr;  // the node's, for domains that the body does not import
};

// A function as a graph that gives what the node gives, attributes bound: inputs as FunctionBody()
// has them.
absl::StatusOr<std::shared_ptr<const Graph>> FunctionAsGraph(const Node& node,
                                                             const ResolvedOperator& op,
                                                             onnx::FunctionProto function,
                                                             const OpRegistry& registry);

// The body of a node's operator as a graph, attributes bound and inputs that the node leaves out
// left out of it too. Its inputs are the operator's, then `captured`: names of the graph around the
// node that the graphs in the node's attributes read. Its outputs are those that the node wants.
// `types`: of the node's inputs (kind unknown: absent, or not known), for bodies of kDependent.
//
// Null if ONNX has no body for this form of the operator. Nodes of the body keep the body's own
// imports.
absl::StatusOr<std::shared_ptr<const Graph>> FunctionBody(const Node& node,
                                                          const ResolvedOperator& op,
                                                          absl::Span<const TypeInfo> types,
                                                          absl::Span<const std::string> captured,
                                                          const OpRegistry& registry);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_FUNCTION_BODY_H_
