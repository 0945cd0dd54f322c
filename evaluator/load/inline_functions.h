// Calls of local functions replaced by what the functions hold.
#ifndef ONNXCMP_EVALUATOR_LOAD_INLINE_FUNCTIONS_H_
#define ONNXCMP_EVALUATOR_LOAD_INLINE_FUNCTIONS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/function_table.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"

namespace onnx {
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace onnxcmp {

// Where a node came from. A node that has none has that of the node around its graph; in the main
// graph, none means the model itself.
struct Origin {
  std::string call_path;
  std::shared_ptr<const OpsetImports> imports;
};
using Origins = absl::flat_hash_map<const onnx::NodeProto*, std::shared_ptr<const Origin>>;

// Inlines all calls in the main graph and its subgraphs and drops the functions. The nodes are
// sorted and stay so.
//
// Names follow ONNX's own inliner, because people have seen them: a value or node `x` of the k-th
// call, counted depth first, becomes `x__k`; if that is taken, `x__k_n` with n from one counter.
// Inputs and outputs take the names that the call gives them. Where ONNX's inliner goes wrong (an
// output that is an input, a Loop that passes its condition through, names in graphs that a call
// passes as attributes) ours differs from it.
//
// `imports`: the model's. `identity_opset`: the version of Identity that stands where a function
// returns its input.
absl::Status InlineFunctions(onnx::ModelProto* model, const FunctionTable& functions,
                             const OpRegistry& registry, const LoadOptions& options,
                             std::shared_ptr<const OpsetImports> imports, int64_t identity_opset,
                             Origins* origins);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_INLINE_FUNCTIONS_H_
