// TensorRT's log.
#ifndef ONNXCMP_TOOLS_LAYERS_TENSORRT_LOG_H_
#define ONNXCMP_TOOLS_LAYERS_TENSORRT_LOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/layers/layer_listing.h"

namespace onnxcmp {

// Position of a line's layer, after the log's prefix; npos if it has none.
size_t FindNamedLayer(absl::string_view line);     // "Layer(Myelin): ..."
size_t FindDetailedLayer(absl::string_view line);  // "Name: ..., LayerType: ..."

// All layers of a log; ignores other lines. If it has both formats, the detailed one.
absl::StatusOr<LayerListing> ParseTensorRtLog(absl::string_view text, const std::string& source);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_TENSORRT_LOG_H_
