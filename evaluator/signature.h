// What ONNX's operator schemas demand of nodes and of the values that flow into them.
#ifndef ONNXCMP_EVALUATOR_SIGNATURE_H_
#define ONNXCMP_EVALUATOR_SIGNATURE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/model.h"
#include "evaluator/plan.h"
#include "evaluator/value.h"

namespace onnxcmp {

// The schema's input types and attribute defaults in our terms.
std::shared_ptr<const Signature> MakeSignature(const onnx::OpSchema& schema);

// Number of inputs and outputs, names and types of attributes, required attributes.
absl::Status CheckNode(const Node& node, const onnx::OpSchema& schema);

// Types of a node's inputs (empty: absent, which only optional ones may be), down to the elements
// of sequences, optionals and maps. Types that share a variable must be equal.
absl::Status CheckInputs(const Signature& signature, absl::Span<const Value> inputs);

// A fed value against a graph input's declared kind, dtype, rank and fixed dimensions.
absl::Status CheckFeed(const ValueInfo& info, const Value& value);

// "float[2,?,hidden]", "seq(int64[])", "?" if nothing is known.
std::string TypeInfoToString(const TypeInfo& type);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_SIGNATURE_H_
