// A schema for tests of registries.
#ifndef ONNXCMP_TESTS_EVALUATOR_KERNELS_MADE_SCHEMA_H_
#define ONNXCMP_TESTS_EVALUATOR_KERNELS_MADE_SCHEMA_H_

#include "onnx/defs/schema.h"

namespace onnxcmp::testing {

// An operator with one input x and one output y of float.
inline onnx::OpSchema MadeSchema(const char* domain, const char* name, int version) {
  onnx::OpSchema schema(name, __FILE__, __LINE__);
  schema.SetDomain(domain).SinceVersion(version).Input(0, "x", "", "T").Output(0, "y", "", "T");
  schema.TypeConstraint("T", {"tensor(float)"}, "");
  return schema;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_EVALUATOR_KERNELS_MADE_SCHEMA_H_
