// ONNX's own schemas, for shape inference of models that nobody has checked.
#ifndef ONNXCMP_COMPARE_CLASSIC_CHECKED_SCHEMAS_H_
#define ONNXCMP_COMPARE_CLASSIC_CHECKED_SCHEMAS_H_

#include <string>

#include "absl/container/node_hash_map.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {

// The inference functions of some operators read the type of an input that has none, divide by an
// attribute that may be 0, count from one that may be negative or make a result with as many axes
// as a model says. Here they refuse such a node by an InferenceError, as they refuse others:
// nothing is known of its outputs then. All that they get through is as ONNX has it. Not for
// several threads.
class CheckedSchemas : public onnx::ISchemaRegistry {
 public:
  const onnx::OpSchema* GetSchema(const std::string& name, int newest_version,
                                  const std::string& domain) const override;

 private:
  // Copies of those that are checked. Inference keeps pointers to them.
  mutable absl::node_hash_map<const onnx::OpSchema*, onnx::OpSchema> checked_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CLASSIC_CHECKED_SCHEMAS_H_
