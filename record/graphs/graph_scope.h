// Nested graphs: readers and producers of names, constants.
#ifndef ONNXCMP_RECORD_GRAPHS_GRAPH_SCOPE_H_
#define ONNXCMP_RECORD_GRAPHS_GRAPH_SCOPE_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A graph with its subgraphs: readers and producers of names, constants.
struct GraphScope {
  struct Reader {
    const Node* node;
    size_t slot;
  };
  const Graph* graph = nullptr;
  const GraphScope* outer = nullptr;
  absl::flat_hash_map<absl::string_view, absl::InlinedVector<Reader, 2>> readers;
  absl::flat_hash_map<absl::string_view, const Node*> producers;
  absl::flat_hash_map<absl::string_view, const Tensor*> constants;
  absl::flat_hash_set<absl::string_view> defined;
  absl::flat_hash_map<const Graph*, std::unique_ptr<GraphScope>> inner;
};

// The graph must outlive it.
std::unique_ptr<GraphScope> MakeScope(const Graph& graph, const GraphScope* outer = nullptr);

// The constant or the producing node of a name in a scope or around it; null if there is none.
const Tensor* ConstantIn(const GraphScope& scope, absl::string_view name);
const Node* ProducerIn(const GraphScope& scope, absl::string_view name);

// The single number of a small constant; nothing if it holds different ones.
std::optional<double> NumberOf(const Tensor* tensor);

// True if a value is a product, possibly scaled, to which attention adds a mask.
bool IsScaledProduct(const GraphScope& scope, absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_GRAPH_SCOPE_H_
