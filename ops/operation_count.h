// How many arithmetic operations a node takes.
#ifndef ONNXCMP_OPS_OPERATION_COUNT_H_
#define ONNXCMP_OPS_OPERATION_COUNT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The additions and multiplications of what takes nearly all of its time in products: matrix
// products, convolutions, attention, recurrent operators, whole or quantized. They are those of the
// formula: what a mask or padding makes zero counts, biases, activations and softmax do not.
// Nothing for other operators, and for nodes whose inputs are not what the operator wants.
std::optional<double> OperationCount(const Node& node, absl::Span<const Value> inputs,
                                     absl::Span<const Value> outputs);

// True if it counts those of an operator.
bool CountsOperations(absl::string_view domain, absl::string_view op_type);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_OPERATION_COUNT_H_
