// Reads a listing of layers, whatever its form.
#ifndef ONNXCMP_COMPARE_LAYERS_READ_LISTING_H_
#define ONNXCMP_COMPARE_LAYERS_READ_LISTING_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "compare/layers/layer_listing.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Whether a text is one of the listings below rather than a model, by what is in it.
bool LooksLikeListing(absl::string_view bytes);

// Of the text of a log, TensorRT's layer information as JSON, or onnxruntime's profile.
// InvalidArgument with the file and the line if it is none, cut short or malformed.
absl::StatusOr<LayerListing> ParseListing(absl::string_view text, const std::string& source);

// The nodes of a model that a runtime optimized, each a layer.
LayerListing ListingOfModel(const Graph& graph, const std::string& source);

// Gives layers the times that trtexec --exportProfile wrote, by name; of several of one name in
// their order. InvalidArgument for another file; a note of the listing for names without a layer.
absl::Status AddTimes(absl::string_view text, const std::string& source, LayerListing* listing);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_LAYERS_READ_LISTING_H_
