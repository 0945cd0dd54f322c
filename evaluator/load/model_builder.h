// A Model from a prepared message: sorted, its functions inlined or kept.
#ifndef ONNXCMP_EVALUATOR_LOAD_MODEL_BUILDER_H_
#define ONNXCMP_EVALUATOR_LOAD_MODEL_BUILDER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/function_table.h"
#include "evaluator/load/inline_functions.h"
#include "evaluator/model/model.h"
#include "evaluator/protos/tensor_proto.h"

namespace onnx {
class GraphProto;
class ModelProto;
class OpSchema;
class SparseTensorProto;
class ValueInfoProto;
}  // namespace onnx

namespace onnxcmp {

class ModelBuilder {
 public:
  // `kept`: the functions whose calls stay nodes; null if all are inlined. What is given must
  // outlive the builder.
  ModelBuilder(std::shared_ptr<const onnx::ModelProto> proto, const OpRegistry& registry,
               const Origins& origins, const FunctionTable* kept, ExternalData* external);

  // Tensors borrow from the message. Every node is checked against the schema of its operator;
  // operators without one are all listed in one error.
  absl::Status Build(const OpsetImports& imports, Model* model);

  // The body of one call as a graph. A node of kGivenDomain stands for the node of `given` that its
  // op_type is the number of, and has inputs and outputs of its own.
  absl::StatusOr<std::shared_ptr<const Graph>> BuildCall(const onnx::NodeProto& call,
                                                         const LocalFunction& function,
                                                         absl::Span<const Node* const> given);
  static constexpr absl::string_view kGivenDomain = "onnxcmp.given";

 private:
  // Facts that hold for all nodes of one graph.
  struct Context {
    std::string call_path;  // of the graph's nodes, for messages
    std::shared_ptr<const OpsetImports> imports;
    std::shared_ptr<const void> owner;  // of the messages
    bool in_kept_function = false;      // whose nodes have no call path of their own
  };

  absl::StatusOr<Graph> BuildGraph(const onnx::GraphProto& proto, const Context& context);
  absl::Status AddInitializers(const onnx::GraphProto& proto, const Context& context, Graph* graph);
  absl::StatusOr<Node> BuildNode(const onnx::NodeProto& proto, const Context& around);
  absl::Status AddAttributes(const onnx::NodeProto& proto, const Context& context, Node* node);
  absl::StatusOr<Attribute> BuildAttribute(const onnx::AttributeProto& proto,
                                           const Context& context);
  absl::Status CheckOperator(const Node& node, const onnx::NodeProto& proto,
                             const Context& context);
  absl::StatusOr<std::shared_ptr<const Graph>> BuildBody(const onnx::NodeProto& call,
                                                         const LocalFunction& function,
                                                         const Context& around);
  absl::Status UnknownOperatorsError() const;

  std::shared_ptr<const onnx::ModelProto> proto_;
  const OpRegistry& registry_;
  const Origins& origins_;
  const FunctionTable* kept_;
  ExternalData* external_;
  std::vector<std::string>* notes_ = nullptr;
  absl::flat_hash_map<std::string, std::shared_ptr<const Graph>> bodies_;
  absl::flat_hash_set<std::string> domains_without_import_;
  std::map<std::string, std::vector<std::string>> unknown_;  // operator: its nodes
  CopyBudget budget_;
  absl::Span<const Node* const> given_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_MODEL_BUILDER_H_
