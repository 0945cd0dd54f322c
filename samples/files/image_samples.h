// Images as a model's input: decoded and prepared by ONNX's own operators.
#ifndef ONNXCMP_SAMPLES_FILES_IMAGE_SAMPLES_H_
#define ONNXCMP_SAMPLES_FILES_IMAGE_SAMPLES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/feeds.h"
#include "samples/files/sample_list.h"

namespace onnxcmp {

class ImageReader {
 public:
  // Chooses the graph's only required input of rank 3 or 4 with an axis of 1 or 3 channels.
  // InvalidArgument, with the inputs, if there is none or several. The registry must outlive the
  // object.
  static absl::StatusOr<ImageReader> For(const Graph& graph, const OpRegistry& registry,
                                         const ImageOptions& options);

  // The value for that input. InvalidArgument, with the file, if it cannot be decoded.
  absl::StatusOr<NamedValue> Read(const std::string& path) const;

  // How images are read: "images become `x` float[1,3,224,224]: stretched to 224x224, RGB, 0
  // to 1, channels first".
  const std::string& note() const { return note_; }

 private:
  ImageReader(Evaluator decode, Evaluator prepare)
      : decode_(std::move(decode)), prepare_(std::move(prepare)) {}

  ValueInfo input_;
  Evaluator decode_;   // bytes to pixels
  Evaluator prepare_;  // pixels to the input
  std::string note_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FILES_IMAGE_SAMPLES_H_
