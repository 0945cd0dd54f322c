// The schemas of the domains that ONNX does not know (com.microsoft and the like, training, other
// projects' operators), and of what onnxruntime adds to ONNX's own domain. They are what inputs,
// outputs, types and attributes are checked against before a kernel runs.
//
// They are kept as text: schemas.txt, written from onnxruntime's registry, and more_schemas.txt,
// written by hand. The head of schemas.txt says how the text reads.
#ifndef ONNXCMP_OPS_CONTRIB_SCHEMA_TABLE_H_
#define ONNXCMP_OPS_CONTRIB_SCHEMA_TABLE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {

// The schemas that `text` lists; an error names the line. Type and shape inference is what the text
// tells: an output of an input's type variable has that input's element type, one of a single type
// has that, and `= I` gives it the shape of input I.
absl::StatusOr<std::vector<onnx::OpSchema>> ParseSchemas(absl::string_view text);

// Adds both tables. A schema is read from its lines when it is first asked for.
void RegisterSchemaTables(OpRegistry& registry);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_SCHEMA_TABLE_H_
