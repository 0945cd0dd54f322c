// Walking the graphs of a model's messages.
#ifndef ONNXCMP_EVALUATOR_LOAD_PROTO_WALK_H_
#define ONNXCMP_EVALUATOR_LOAD_PROTO_WALK_H_

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

// visit(attribute, graph) for the graphs in a node's attributes, in order, until one fails.
template <typename Visit>
absl::Status ForEachSubgraph(onnx::NodeProto* node, Visit visit) {
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.has_g()) {
      OC_RETURN_IF_ERROR(visit(attribute, attribute.mutable_g()));
    }
    for (onnx::GraphProto& graph : *attribute.mutable_graphs()) {
      OC_RETURN_IF_ERROR(visit(attribute, &graph));
    }
  }
  return absl::OkStatus();
}

template <typename Visit>
absl::Status ForEachSubgraph(const onnx::NodeProto& node, Visit visit) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) {
      OC_RETURN_IF_ERROR(visit(attribute, attribute.g()));
    }
    for (const onnx::GraphProto& graph : attribute.graphs()) {
      OC_RETURN_IF_ERROR(visit(attribute, graph));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_PROTO_WALK_H_
