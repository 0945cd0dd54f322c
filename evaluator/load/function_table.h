// The local functions of a model: who calls whom, and what calling them comes to.
#ifndef ONNXCMP_EVALUATOR_LOAD_FUNCTION_TABLE_H_
#define ONNXCMP_EVALUATOR_LOAD_FUNCTION_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"

namespace onnx {
class AttributeProto;
class FunctionProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace onnxcmp {

struct LocalFunction {
  onnx::FunctionProto* proto = nullptr;
  // The model's imports fill in what the function leaves out.
  std::shared_ptr<const OpsetImports> imports;
  int64_t bytes = 0;  // of its message, which an expansion copies
  // Counts for one call with everything that it calls.
  int64_t nodes = 0;
  int depth = 0;  // nesting of calls and subgraphs
};

// A local function wins over an operator of the same name.
class FunctionTable {
 public:
  // The functions that the main graph calls, directly or not; others are not even looked at. Their
  // nodes are sorted. Errors: a function that calls itself, directly or not, also from subgraphs;
  // calls that would come to more nodes or nest deeper than the options allow.
  static absl::StatusOr<FunctionTable> Build(onnx::ModelProto* model, const OpsetImports& imports,
                                             const LoadOptions& options);

  // The function that a node calls; null if it calls none.
  const LocalFunction* Find(const onnx::NodeProto& node) const;

  bool has_calls() const { return has_calls_; }

 private:
  class Builder;
  absl::flat_hash_map<std::string, LocalFunction> functions_;
  bool has_calls_ = false;
};

// The bytes that copies of functions' bodies may take: some, and a multiple of the file. Constants
// in a body are copied with it, so that a small file could fill the memory.
class CopyBudget {
 public:
  explicit CopyBudget(const onnx::ModelProto& model);
  absl::Status Spend(int64_t bytes);

 private:
  int64_t bytes_left_;
};

// "acme.Attention".
std::string FunctionName(const onnx::FunctionProto& function);

// The attributes that a call binds: its own, and the function's defaults for the others.
using AttributeBindings = absl::flat_hash_map<absl::string_view, const onnx::AttributeProto*>;
AttributeBindings BindAttributes(const onnx::NodeProto& call, const onnx::FunctionProto& function);

// Replaces the attributes of a node of a function's body, and of the nodes in its subgraphs, that
// refer to the function's by those that are bound; drops them where none is. `on_bound` is given
// what was bound and its copy.
absl::Status BindReferences(
    const AttributeBindings& bindings,
    absl::FunctionRef<absl::Status(const onnx::AttributeProto&, const onnx::AttributeProto&)>
        on_bound,
    onnx::NodeProto* node);

// More inputs or outputs than the function has are an error.
absl::Status CheckCall(const onnx::NodeProto& call, const onnx::FunctionProto& function);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_FUNCTION_TABLE_H_
