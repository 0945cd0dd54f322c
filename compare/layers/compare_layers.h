// The layers of two listings beside one another, by the ONNX nodes that they cover.
#ifndef ONNXCMP_COMPARE_LAYERS_COMPARE_LAYERS_H_
#define ONNXCMP_COMPARE_LAYERS_COMPARE_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/layers/layer_listing.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

enum class LayerRelation : uint8_t {
  kSame,       // a layer each, of the same nodes
  kNodes,      // a layer each, of other nodes
  kSplit,      // one of the left is several of the right
  kMerged,     // several of the left are one of the right
  kRegrouped,  // several on both sides
  kInside,     // one side names a region, the other lists what is in it
  kLeftOnly,
  kRightOnly,
};
absl::string_view LayerRelationName(LayerRelation relation);  // "same", "split", ...

// Layers of both sides that have nodes in common.
struct LayerGroup {
  LayerRelation relation = LayerRelation::kSame;
  bool reformat = false;  // copies alone
  std::vector<int> left, right;
  // Coarsest numbers; kUndefined where a listing does not tell.
  DType left_precision = DType::kUndefined;
  DType right_precision = DType::kUndefined;
  bool precision_changed() const {
    return left_precision != right_precision && left_precision != DType::kUndefined &&
           right_precision != DType::kUndefined;
  }
  std::optional<double> left_milliseconds, right_milliseconds;  // of all that have a time
  // ONNX nodes that the layers of one side alone cover.
  std::vector<std::string> left_nodes, right_nodes;
  // Where one layer is several: the node that each but the first begins with.
  std::vector<std::string> begins_at;
};

struct LayerComparison {
  LayerListing left, right;
  std::vector<LayerGroup> groups;  // in the left's order, those of the right alone where they run
  std::vector<std::string> notes;
  // One lists by name alone what the other lists in detail, and they speak of the same regions.
  bool one_engine = false;

  bool same() const;
};

// `model`: the ONNX model that was built; regions are what lies between their ends in it, and nodes
// of optimized models are what their results were computed by. Null if it is not known.
LayerComparison CompareLayers(LayerListing left, LayerListing right, const Graph* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_LAYERS_COMPARE_LAYERS_H_
