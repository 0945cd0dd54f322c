// The layers that a runtime made of a model, as its log, its profile or its optimized model lists
// them, as plain data.
#ifndef ONNXCMP_TOOLS_LAYERS_LAYER_LISTING_H_
#define ONNXCMP_TOOLS_LAYERS_LAYER_LISTING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

enum class ListingForm : uint8_t {
  kNames,     // TensorRT's log, names only: "Layer(Myelin): ..."
  kDetailed,  // TensorRT's log, detailed: "Name: ..., LayerType: ..."
  kJson,      // file of trtexec --exportLayerInfo
  kProfile,   // onnxruntime's profile
  kModel,     // a model
};
absl::string_view ListingFormName(ListingForm form);  // "TensorRT log, names only", ...

struct LayerTensor {
  std::string name;
  DType dtype = DType::kUndefined;  // if it is known
  std::string format;               // in the listing's words: "Half", "Row major linear FP32"
};

// A part of the graph that a layer names by its ends: "{ForeignNode[FIRST + FIRST...LAST]}".
struct LayerRegion {
  std::vector<std::string> first;
  std::vector<std::string> last;
};

struct EngineLayer {
  std::string name;
  std::string type;  // "CaskConvolution", "Myelin", "Reformat"; an operator
  // The ONNX nodes that it covers, from its metadata or else from its name.
  std::vector<std::string> nodes;
  std::vector<LayerRegion> regions;
  std::vector<LayerTensor> inputs, outputs;
  std::optional<double> milliseconds;  // per run
  // True for a copy into another format or type.
  bool reformat = false;
};

struct LayerListing {
  std::string source;
  ListingForm form = ListingForm::kNames;
  // Only names are listed, and no layers inside regions.
  bool names_only = false;
  std::vector<EngineLayer> layers;  // in the order of the listing
  std::vector<std::string> notes;
};

// The coarsest type that a layer reads or writes; kUndefined if it is not known.
DType PrecisionOf(const EngineLayer& layer);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_LAYER_LISTING_H_
