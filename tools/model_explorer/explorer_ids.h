// Node ids that Model Explorer's adapter for ONNX (model-explorer-onnx 0.4) gives to a model.
#ifndef ONNXCMP_TOOLS_MODEL_EXPLORER_EXPLORER_IDS_H_
#define ONNXCMP_TOOLS_MODEL_EXPLORER_EXPLORER_IDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp {

// A node in one of the graphs that it shows: the main one, those of functions, and bodies of loops
// of the main graph.
struct ExplorerPlace {
  std::string graph, node;
  friend bool operator==(const ExplorerPlace&, const ExplorerPlace&) = default;
};

// A result as a ResultStream describes it.
struct ExplorerResult {
  absl::string_view path, name;
  bool output = false;  // the model's, or a node's or a leaf
  // In a function that was inlined: its how many-th node of all that ran with this path, and of
  // which operator. -1: it was not inlined.
  int node = -1;
  absl::string_view op_type;
};

class ExplorerIds {
 public:
  // The model as it is in its file.
  explicit ExplorerIds(std::shared_ptr<const onnx::ModelProto> model);
  ~ExplorerIds();

  // All nodes that show a result: an If stands there twice, what a function gives is of its calls,
  // too. Empty if the adapter shows none, as of bodies within bodies.
  std::vector<ExplorerPlace> PlacesOf(const ExplorerResult& result) const;

 private:
  class Graphs;
  std::unique_ptr<const Graphs> graphs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_MODEL_EXPLORER_EXPLORER_IDS_H_
