// The operator of a node and its operands, as messages tell them: for all nodes of a file.
#ifndef ONNXCMP_EVALUATOR_LOAD_NODE_CALL_H_
#define ONNXCMP_EVALUATOR_LOAD_NODE_CALL_H_

#include "onnx/onnx_pb.h"

namespace onnxcmp {

// The node's names, its operator, inputs and outputs.
template <typename AnyNode>
void CallFromProto(const onnx::NodeProto& proto, AnyNode* node) {
  node->name = proto.name();
  node->domain = proto.domain();
  node->op_type = proto.op_type();
  node->overload = proto.overload();
  node->inputs.assign(proto.input().begin(), proto.input().end());
  node->outputs.assign(proto.output().begin(), proto.output().end());
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_NODE_CALL_H_
