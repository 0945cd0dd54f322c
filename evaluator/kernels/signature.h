// The demands of ONNX's operator schemas on nodes and on the values that flow into them.
#ifndef ONNXCMP_EVALUATOR_KERNELS_SIGNATURE_H_
#define ONNXCMP_EVALUATOR_KERNELS_SIGNATURE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnxcmp {

// The types that a schema allows for one input.
struct ParameterType {
  std::string name;
  uint32_t tensor_dtypes = 0;    // bit i: tensors of DType i are allowed
  std::vector<TypeInfo> others;  // further types: sequences, optionals, maps, sparse tensors
  bool may_be_absent = false;
  int type_variable = -1;  // inputs with the same number have the same type; -1: a fixed type
  std::string type_name;   // "T", as the schema calls the variable
};

// The part of an OpSchema that a run of a model needs, made once a plan for each schema in use.
struct Signature {
  std::vector<ParameterType> inputs;  // the last one repeats if variadic
  bool variadic_homogeneous = false;  // all values of the last input have one type
  bool variadic = false;
  std::map<std::string, Attribute, std::less<>> defaults;
};

// The schema's input types and attribute defaults in our terms.
std::shared_ptr<const Signature> MakeSignature(const onnx::OpSchema& schema);

// An operator whose schema has an attribute of this name takes attributes of any name and type.
inline constexpr char kAnyAttribute[] = "*";

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

#endif  // ONNXCMP_EVALUATOR_KERNELS_SIGNATURE_H_
