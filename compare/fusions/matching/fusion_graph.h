// A graph for pattern matching: numbered values, their producers and readers, constants.
#ifndef ONNXCMP_COMPARE_FUSIONS_MATCHING_FUSION_GRAPH_H_
#define ONNXCMP_COMPARE_FUSIONS_MATCHING_FUSION_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

class FusionGraph {
 public:
  // `outer`: the graph around it, whose constants it may read; null for a main graph. Both must
  // outlive the object.
  explicit FusionGraph(const Graph& graph, const FusionGraph* outer = nullptr);

  const Graph& graph() const { return graph_; }
  const Node& node(int n) const { return graph_.nodes[static_cast<size_t>(n)]; }
  const std::string& name(int value) const { return values_[static_cast<size_t>(value)].name; }
  // Values by slot; kNone: absent.
  const std::vector<int>& inputs(int n) const { return inputs_[static_cast<size_t>(n)]; }
  const std::vector<int>& outputs(int n) const { return outputs_[static_cast<size_t>(n)]; }
  int producer(int value) const { return values_[static_cast<size_t>(value)].producer; }
  int slot(int value) const { return values_[static_cast<size_t>(value)].slot; }
  // Readers, each once; includes nodes whose subgraphs read it.
  const std::vector<int>& readers(int value) const {
    return values_[static_cast<size_t>(value)].readers;
  }
  bool IsOutput(int value) const { return values_[static_cast<size_t>(value)].output; }

  // True for an initializer, and for values computed from these alone.
  bool IsConstant(int value) const { return values_[static_cast<size_t>(value)].constant; }
  // True for constants, and for values computed from shapes and constants alone, so that they
  // depend on no element of an input.
  bool IsStatic(int value) const { return values_[static_cast<size_t>(value)].is_static; }
  bool IsStaticNode(int n) const;
  // True if all outputs are constants.
  bool IsConstantNode(int n) const;
  // The single element of a constant; nothing if there are several or it is not known.
  std::optional<double> Scalar(int value) const;
  // The elements of a constant with at most 8.
  std::optional<std::vector<double>> Elements(int value) const;
  int64_t OpsetVersion(int n) const;

 private:
  struct Value {
    std::string name;
    int producer = kNone;
    int slot = 0;
    std::vector<int> readers;
    const Tensor* tensor = nullptr;  // an initializer's or a constant's
    bool output = false;
    bool constant = false;
    bool is_static = false;
  };
  int ValueOf(absl::string_view name);
  void AddNode(int n, const FusionGraph* outer);
  std::optional<double> Folded(int n, int depth) const;
  std::optional<double> ScalarAt(int value, int depth) const;

  const Graph& graph_;
  std::vector<Value> values_;
  absl::flat_hash_map<std::string, int> by_name_;
  std::vector<std::vector<int>> inputs_;
  std::vector<std::vector<int>> outputs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_MATCHING_FUSION_GRAPH_H_
