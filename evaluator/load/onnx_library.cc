#include "evaluator/load/onnx_library.h"

#include <exception>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/protos/cut_weights.h"
#include "onnx/checker.h"
#include "onnx/defs/parser.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// ONNX's messages have several lines.
std::string JoinLines(absl::string_view text) {
  return OneLine(
      absl::StrReplaceAll(absl::StripAsciiWhitespace(text), {{"\n\n", "; "}, {"\n", "; "}}));
}

// The checker announces these on standard output, which is ours.
bool HasExperimentalOperator(const onnx::GraphProto& graph) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (onnx::checker::check_is_experimental_op(node)) return true;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g() && HasExperimentalOperator(attribute.g())) return true;
      for (const onnx::GraphProto& subgraph : attribute.graphs()) {
        if (HasExperimentalOperator(subgraph)) return true;
      }
    }
  }
  return false;
}

// Tensors that stand in place of placeholders for as long as ONNX's checker looks. A placeholder
// has another size than the weights that were cut out, and these have been checked.
class HiddenPlaceholders {
 public:
  explicit HiddenPlaceholders(onnx::GraphProto* graph) { HideIn(graph); }
  ~HiddenPlaceholders() {
    for (auto& [tensor, placeholder] : hidden_) tensor->Swap(&placeholder);
  }
  HiddenPlaceholders(const HiddenPlaceholders&) = delete;
  HiddenPlaceholders& operator=(const HiddenPlaceholders&) = delete;

 private:
  void Hide(onnx::TensorProto* tensor) {
    if (!CutNumber(tensor->raw_data()).has_value()) return;
    onnx::TensorProto fitting;
    fitting.set_name(tensor->name());
    fitting.set_data_type(onnx::TensorProto::UINT8);
    fitting.add_dims(static_cast<int64_t>(tensor->raw_data().size()));
    fitting.set_raw_data(tensor->raw_data());
    hidden_.emplace_back(tensor, std::move(fitting));
    tensor->Swap(&hidden_.back().second);
  }

  void HideIn(onnx::GraphProto* graph) {
    for (onnx::TensorProto& tensor : *graph->mutable_initializer()) Hide(&tensor);
    for (onnx::NodeProto& node : *graph->mutable_node()) {
      for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) Hide(attribute.mutable_t());
        for (onnx::TensorProto& tensor : *attribute.mutable_tensors()) Hide(&tensor);
        if (attribute.has_g()) HideIn(attribute.mutable_g());
        for (onnx::GraphProto& inner : *attribute.mutable_graphs()) HideIn(&inner);
      }
    }
  }

  std::vector<std::pair<onnx::TensorProto*, onnx::TensorProto>> hidden_;
};

}  // namespace

absl::Status ParseOnnxText(const std::string& text, onnx::ModelProto* model) {
  std::string error;
  try {
    onnx::OnnxParser parser(text);
    onnx::Common::Status status = parser.Parse(*model);
    if (status.IsOK() && parser.EndOfInput()) return absl::OkStatus();
    error = status.IsOK() ? absl::StrCat("more text after the model ", parser.GetCurrentPos())
                          : JoinLines(status.ErrorMessage());
  } catch (const std::exception& exception) {
    // Numbers that do not fit.
    error = absl::StrCat("a number is out of range or malformed (", exception.what(), ")");
  }
  return absl::InvalidArgumentError(absl::StrCat("it is no model in ONNX's text form: ", error));
}

std::string CheckWithOnnx(onnx::ModelProto* model, const OpsetImports& imports,
                          const OpRegistry& registry) {
  onnx::GraphProto* graph = model->mutable_graph();
  if (HasExperimentalOperator(*graph)) return "";
  // Initializers have been checked, and the checker refuses external data after a link, which is
  // how model hubs store them. Here they are names that an outer graph makes.
  google::protobuf::RepeatedPtrField<onnx::TensorProto> initializers;
  initializers.Swap(graph->mutable_initializer());
  absl::Cleanup restore = [&] { initializers.Swap(graph->mutable_initializer()); };
  const HiddenPlaceholders hidden(graph);
  onnx::checker::LexicalScopeContext scope;
  for (const onnx::TensorProto& initializer : initializers) scope.add(initializer.name());

  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model->ir_version()));
  std::unordered_map<std::string, int> opsets;
  for (const auto& [domain, version] : imports) opsets[domain] = static_cast<int>(version);
  context.set_opset_imports(std::move(opsets));
  context.set_schema_registry(&registry.schemas());
  // As a subgraph is: inputs and outputs need no type, which many exporters leave out.
  context.set_is_main_graph(false);
  try {
    onnx::checker::check_graph(*graph, context, scope);
  } catch (const std::exception& exception) {
    return JoinLines(exception.what());
  }
  return "";
}

absl::StatusOr<bool> BuildBodyWithOnnx(const onnx::OpSchema& schema, const onnx::NodeProto& node,
                                       const std::vector<onnx::TypeProto>& input_types,
                                       int64_t opset_version, onnx::FunctionProto* body) {
  try {
    const onnx::FunctionBodyBuildContextImpl context(node, input_types);
    return schema.BuildContextDependentFunction(context, *body, static_cast<int>(opset_version));
  } catch (const std::exception& exception) {
    return absl::InvalidArgumentError(
        absl::StrCat("ONNX cannot build its body: ", JoinLines(exception.what())));
  }
}

}  // namespace onnxcmp
