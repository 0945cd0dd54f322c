// Reads a listing of layers in any format.
#ifndef ONNXCMP_TOOLS_LAYERS_READ_LISTING_H_
#define ONNXCMP_TOOLS_LAYERS_READ_LISTING_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "tools/layers/layer_listing.h"

namespace onnxcmp {

// True if a text looks like one of the listings below rather than a model, by its content.
bool LooksLikeListing(absl::string_view bytes);

// Parses a log, TensorRT's layer information as JSON, or onnxruntime's profile. InvalidArgument
// with the file and the line if it is none of these, cut short or malformed.
absl::StatusOr<LayerListing> ParseListing(absl::string_view text, const std::string& source);

// A layer for each node of a model that a runtime optimized.
LayerListing ListingOfModel(const Graph& graph, const std::string& source);

// Adds the times of a trtexec --exportProfile file to layers, by name; in order among layers of the
// same name. InvalidArgument for another file; adds a note to the listing for names without a
// layer.
absl::Status AddTimes(absl::string_view text, const std::string& source, LayerListing* listing);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_READ_LISTING_H_
