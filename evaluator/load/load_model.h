// Reading models: binary protobuf (.onnx) and ONNX's text (.onnxtxt), checked, sorted and inlined.
#ifndef ONNXCMP_EVALUATOR_LOAD_LOAD_MODEL_H_
#define ONNXCMP_EVALUATOR_LOAD_LOAD_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

class SharedWeights;

enum class Functions : uint8_t {
  kInline,  // local functions are expanded; each node keeps its call path
  kKeep,    // each call is one node, one result
};

struct LoadOptions {
  Functions functions = Functions::kInline;
  // Inlining is refused when the model would have more nodes than this, or more than a thousand for
  // each node in the file (a hundred thousand are always allowed).
  int64_t max_nodes = 1'000'000;
  // Deepest nesting of subgraphs and calls.
  int max_depth = 64;
  // Read external data after links that lead out of the model's folder.
  bool follow_links = false;
  // The same for models that are loaded for each other's sake: what they hold alike is there once
  // (shared_weights.h). Null: the model is alone.
  std::shared_ptr<SharedWeights> weights = nullptr;
};

// A model from a file. Large tensors stay in the mapped files (its own, and those of external data,
// which must lie inside the model's folder, see follow_links) and are read on first use; the files
// must not change while the model lives (mapped_file.h). The model needs every operator to have a
// schema in `registry` (or a local function); those that have none are all listed in one error
// (Unimplemented) with their call paths. InvalidArgument for everything else that is wrong with the
// file.
absl::StatusOr<std::shared_ptr<const Model>> LoadModel(const std::string& path,
                                                       const OpRegistry& registry,
                                                       const LoadOptions& options = {});

// The same for a model in memory, serialized or in ONNX's text form. `base_dir` is where external
// data may lie ("": there may be none).
absl::StatusOr<std::shared_ptr<const Model>> LoadModelFromBytes(absl::string_view bytes,
                                                                const OpRegistry& registry,
                                                                const LoadOptions& options = {},
                                                                const std::string& base_dir = "");
absl::StatusOr<std::shared_ptr<const Model>> LoadModelFromText(absl::string_view text,
                                                               const OpRegistry& registry,
                                                               const LoadOptions& options = {});

// The message itself after normalising, sorting and (kInline) inlining, for those who work on
// protos (ONNX's shape inference in the classic table's nodes mode). External data stays outside.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> LoadModelProto(const std::string& path,
                                                                 const OpRegistry& registry,
                                                                 const LoadOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_LOAD_MODEL_H_
