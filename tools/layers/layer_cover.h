// Finds the ONNX nodes that layers cover.
#ifndef ONNXCMP_TOOLS_LAYERS_LAYER_COVER_H_
#define ONNXCMP_TOOLS_LAYERS_LAYER_COVER_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "tools/layers/layer_listing.h"

namespace onnxcmp {

// The nodes of a model that lie between others, and the nodes that compute results.
class NodeRanges {
 public:
  // The graph must outlive the object.
  explicit NodeRanges(const Graph& graph);

  // The model's own name of a node; nothing if it has none. TensorRT sometimes replaces '.' by '_':
  // such a name is accepted if it is unique. So is a name that begins with a node's and a '/'.
  std::optional<std::string> Find(absl::string_view name) const;
  // Its position in the model's order; after all others if it is none of its nodes.
  size_t Position(const std::string& name) const;
  // Nodes on the ways from the first to the last, inclusive; nothing if the ends are unknown.
  std::vector<std::string> Between(const LayerRegion& region) const;
  // Nodes that compute a layer's outputs from its inputs and from `made`, results of other layers
  // by name, which are no part of it. Nothing if the model lacks its outputs.
  std::vector<std::string> Behind(const EngineLayer& layer,
                                  const absl::flat_hash_set<std::string>& made) const;

 private:
  std::vector<bool> Reached(const std::vector<size_t>& from, bool forward) const;

  const Graph& graph_;
  std::vector<std::string> labels_;
  std::vector<bool> constant_;  // by node: computed from constants alone
  absl::flat_hash_map<std::string, size_t> positions_;
  std::map<std::string, std::vector<size_t>, std::less<>> normalized_;
  absl::flat_hash_map<std::string, size_t> producers_;
};

// The nodes of each layer. `model` may be null.
std::vector<std::vector<std::string>> CoversOf(const LayerListing& listing,
                                               const NodeRanges* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_LAYERS_LAYER_COVER_H_
