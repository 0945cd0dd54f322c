// Pairs the layers of two listings by the ONNX nodes that they cover.
#ifndef ONNXCMP_TOOLS_LAYERS_COMPARE_LAYERS_H_
#define ONNXCMP_TOOLS_LAYERS_COMPARE_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "tools/layers/layer_listing.h"

namespace onnxcmp {

enum class LayerRelation : uint8_t {
  kSame,       // a layer each, of the same nodes
  kNodes,      // a layer each, of different nodes
  kSplit,      // one layer of the left is several of the right
  kMerged,     // several layers of the left are one of the right
  kRegrouped,  // several on both sides
  kInside,     // one side names a region, the other lists the layers inside
  kLeftOnly,
  kRightOnly,
};
absl::string_view LayerRelationName(LayerRelation relation);  // "same", "split", ...

// Layers of both sides with common nodes.
struct LayerGroup {
  LayerRelation relation = LayerRelation::kSame;
  bool reformat = false;  // only copies
  std::vector<int> left, right;
  // Coarsest types; kUndefined where a listing has none.
  DType left_precision = DType::kUndefined;
  DType right_precision = DType::kUndefined;
  bool precision_changed() const {
    return left_precision != right_precision && left_precision != DType::kUndefined &&
           right_precision != DType::kUndefined;
  }
  std::optional<double> left_milliseconds, right_milliseconds;  // sums over the layers with a time
  // ONNX nodes that only this side's layers cover.
  std::vector<std::string> left_nodes, right_nodes;
  // Where one layer is several: the first node of each but the first.
  std::vector<std::string> begins_at;
};

struct LayerComparison {
  LayerListing left, right;
  std::vector<LayerGroup> groups;  // in the left's order; the right's own at their place
  std::vector<std::string> notes;
  // One lists layers only by name, the other in detail, and both have the same regions.
  bool one_engine = false;

  bool same() const;
};

// `model`: the ONNX model that was built; it gives the nodes of regions between their ends, and the
// nodes that computed the results of optimized models. Null if it is not known.
LayerComparison CompareLayers(LayerListing left, LayerListing right, const Graph* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_COMPARE_LAYERS_H_
