// Schemas with checks, for shape inference of unchecked models.
#ifndef ONNXCMP_TOOLS_PARTS_CHECKED_SCHEMAS_H_
#define ONNXCMP_TOOLS_PARTS_CHECKED_SCHEMAS_H_

#include <string>

#include "absl/container/node_hash_map.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {

// The inference functions of some operators read the type of an input that has none, divide by an
// attribute that may be 0, count from one that may be negative or make a result with as many axes
// as a model says. Here they refuse such a node by an InferenceError, as they refuse others: its
// outputs are then unknown. Otherwise they behave as in ONNX. Not thread-safe.
class CheckedSchemas : public onnx::ISchemaRegistry {
 public:
  // `base`: the schemas, which must outlive the object.
  explicit CheckedSchemas(const onnx::ISchemaRegistry& base) : base_(base) {}
  const onnx::OpSchema* GetSchema(const std::string& name, int newest_version,
                                  const std::string& domain) const override;

 private:
  const onnx::ISchemaRegistry& base_;
  // Copies of the checked ones. Inference keeps pointers to them.
  mutable absl::node_hash_map<const onnx::OpSchema*, onnx::OpSchema> checked_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_CHECKED_SCHEMAS_H_
