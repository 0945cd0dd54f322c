// Schemas of com.microsoft, as onnxruntime documents them. They are what inputs, outputs, types and
// attributes are checked against before a kernel runs.
//
//   onnx::OpSchema GeluSchema() {
//     return ContribSchema("Gelu", "Y = 0.5 * X * (1 + erf(X / sqrt(2)))")
//         .Input(0, "X", "", "T")
//         .Output(0, "Y", "", "T")
//         .TypeConstraint("T", FloatTypes(), "");
//   }
//
// Other lists of types are ONNX's: onnx::OpSchema::all_numeric_types_ir4(), all_tensor_types_ir4(),
// ...; types that we allow and onnxruntime does not are those that the same kernel serves anyway.
#ifndef ONNXCMP_OPS_CONTRIB_SCHEMA_H_
#define ONNXCMP_OPS_CONTRIB_SCHEMA_H_

#include <string>
#include <vector>

#include "evaluator/op_registry.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {

// Version 1, the only one that this domain has.
inline onnx::OpSchema ContribSchema(const char* name, const char* doc) {
  return onnx::OpSchema()
      .SetName(name)
      .SetDomain(std::string(kMicrosoftDomain))
      .SinceVersion(1)
      .SetDoc(doc);
}

inline std::vector<std::string> FloatTypes() {
  return {"tensor(float16)", "tensor(float)", "tensor(double)", "tensor(bfloat16)"};
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_SCHEMA_H_
