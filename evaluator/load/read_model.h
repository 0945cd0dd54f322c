// A model's message from bytes.
#ifndef ONNXCMP_EVALUATOR_LOAD_READ_MODEL_H_
#define ONNXCMP_EVALUATOR_LOAD_READ_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// True for a file that is read as ONNX's text form: .onnxtxt and .onnxtext whatever they hold, and
// what begins as a text must.
bool IsModelText(absl::string_view path, absl::string_view bytes);

// ONNX's text form, refused when it is nested too deep for ONNX's parser.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelText(absl::string_view text,
                                                                int max_depth);

// A serialized model, or its text form: no serialized model begins as a text must.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelBytes(absl::string_view bytes,
                                                                 int max_depth);

// The same from a file, which errors name; .onnxtxt and .onnxtext are text whatever they hold.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelFile(const std::string& path,
                                                                int max_depth);

// A model's message, the weights of which stay in its file.
struct ModelInFile {
  std::shared_ptr<onnx::ModelProto> proto;
  // The file and the weights that were cut out of the message (cut_weights.h), for
  // ExternalData::SetCut; may be none.
  std::shared_ptr<const MappedFile> file;
  std::vector<absl::string_view> weights;
};
absl::StatusOr<ModelInFile> ReadModelInPlace(std::shared_ptr<const MappedFile> file, int max_depth);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_READ_MODEL_H_
