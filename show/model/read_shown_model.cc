#include "show/model/read_shown_model.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/load/module_paths.h"
#include "evaluator/load/node_call.h"
#include "evaluator/load/read_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/tensor.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "record/differences/element_text.h"
#include "record/streams/xxh128.h"
#include "record/text/attribute_text.h"
#include "record/text/short_text.h"
#include "tools/parts/infer_shapes.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostInline = 8;          // elements
constexpr size_t kMostAttributeText = 120;  // characters

std::string Shortened(std::string text) {
  if (text.size() <= kMostAttributeText) return text;
  text.resize(kMostAttributeText - 3);
  return text + "...";
}

// "0.5", "[1,-1]", "f32[2,2]{1,2,3,4}"; "" of a tensor with many elements.
std::string ValueText(const Tensor& tensor) {
  if (tensor.num_elements() > kMostInline) return "";
  std::vector<std::string> elements;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) elements.push_back(ElementText(tensor, i));
  const std::string list = absl::StrJoin(elements, ",");
  if (tensor.rank() == 0) return Shortened(list);
  if (tensor.rank() == 1) return Shortened(absl::StrCat("[", list, "]"));
  return Shortened(absl::StrCat(ShortDType(tensor.dtype()), "[", absl::StrJoin(tensor.shape(), ","),
                                "]{", list, "}"));
}

// With all digits that tell it from its neighbours.
std::string NumberText(float number) { return ElementText(Tensor::Scalar(number), 0); }

uint64_t HashOfBytes(absl::string_view bytes) { return HashOfText(bytes).low; }

uint64_t ContentHash(const Tensor& tensor) {
  const uint64_t type = HashOfBytes(tensor.TypeString());
  if (tensor.dtype() == DType::kString) {
    std::string text;
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      absl::StrAppend(&text, tensor.string_data()[i].size(), ":", tensor.string_data()[i]);
    }
    return HashOf({type, HashOfBytes(text)}).low;
  }
  // Data in a file stay there.
  const std::byte* data =
      tensor.stored() ? tensor.buffer()->file_bytes().data() : tensor.raw_data();
  const absl::string_view bytes(reinterpret_cast<const char*>(data),
                                static_cast<size_t>(tensor.byte_size()));
  return HashOf({type, HashOfBytes(bytes)}).low;
}

class ModelReader {
 public:
  ModelReader(const onnx::ModelProto& proto, const std::string& path, const OpRegistry& registry,
              const ShowOptions& options)
      : proto_(proto),
        registry_(registry),
        options_(options),
        external_(ExternalData::OfModel(path, options.follow_links)) {}

  ShownModel Read() {
    model_.ir_version = proto_.ir_version();
    model_.producer =
        absl::StrCat(proto_.producer_name(), proto_.producer_version().empty() ? "" : " ",
                     proto_.producer_version());
    model_.imports = Imports(proto_.opset_import());
    imports_ = model_.imports;
    for (const onnx::StringStringEntryProto& entry : proto_.metadata_props()) {
      model_.metadata.emplace_back(entry.key(), entry.value());
    }
    model_.graph = ReadGraph(proto_.graph());
    for (const onnx::FunctionProto& function : proto_.functions()) ReadFunction(function);
    CountCalls();
    ReadFreeDimensions();
    return std::move(model_);
  }

 private:
  template <typename List>
  static OpsetImports Imports(const List& list) {
    OpsetImports imports;
    for (const onnx::OperatorSetIdProto& import : list) {
      imports[import.domain()] = import.version();
    }
    return imports;
  }

  void AddType(const onnx::ValueInfoProto& info, ShownGraph* graph) {
    if (!info.has_type()) return;
    TypeInfo type = TypeFromProto(info.type());
    if (type.kind != TypeInfo::Kind::kUnknown) graph->types[info.name()] = std::move(type);
  }

  ShownGraph ReadGraph(const onnx::GraphProto& proto) {
    ShownGraph graph;
    graph.name = proto.name();
    for (const onnx::ValueInfoProto& info : proto.value_info()) AddType(info, &graph);
    for (const onnx::ValueInfoProto& info : proto.output()) {
      AddType(info, &graph);
      graph.outputs.push_back(info.name());
    }
    for (const onnx::ValueInfoProto& info : proto.input()) {
      AddType(info, &graph);
      graph.inputs.push_back(info.name());
    }
    for (const onnx::TensorProto& tensor : proto.initializer()) {
      AddConstant(ReadConstant(tensor, tensor.name()), &graph);
    }
    for (const onnx::SparseTensorProto& sparse : proto.sparse_initializer()) {
      ShownConstant constant = ReadConstant(sparse.values(), sparse.values().name());
      constant.dims.assign(sparse.dims().begin(), sparse.dims().end());
      constant.value.clear();
      const ShownConstant places = ReadConstant(sparse.indices(), constant.name);
      constant.content =
          HashOf({constant.content, places.content, HashOfBytes(absl::StrJoin(constant.dims, ","))})
              .low;
      AddConstant(std::move(constant), &graph);
    }
    for (const onnx::NodeProto& node : proto.node()) ReadNode(node, &graph);
    return graph;
  }

  static void AddConstant(ShownConstant constant, ShownGraph* graph) {
    graph->constant_of[constant.name] = graph->constants.size();
    TypeInfo type;
    type.kind = TypeInfo::Kind::kTensor;
    type.dtype = constant.dtype;
    type.shape.emplace();
    for (const int64_t dim : constant.dims) type.shape->push_back({dim, ""});
    graph->types[constant.name] = std::move(type);
    graph->constants.push_back(std::move(constant));
  }

  ShownConstant ReadConstant(const onnx::TensorProto& proto, const std::string& name) {
    ShownConstant constant;
    constant.name = name;
    constant.dims.assign(proto.dims().begin(), proto.dims().end());
    constant.external = proto.data_location() == onnx::TensorProto::EXTERNAL;
    if (proto.data_type() > 0 && proto.data_type() < kNumDTypes) {
      constant.dtype = static_cast<DType>(proto.data_type());
    }
    constant.elements = NumElements(constant.dims).value_or(0);
    constant.bytes = ByteSize(constant.dtype, constant.elements).value_or(0);
    const absl::StatusOr<Tensor> tensor = TensorFromProto(proto, nullptr, &external_);
    if (!tensor.ok()) {
      model_.notes.push_back(absl::StrCat("constant ", name, ": ", tensor.status().message()));
      // Tensors that cannot be read are the same if their messages are.
      constant.content = HashOfBytes(proto.SerializeAsString());
      return constant;
    }
    Describe(*tensor, &constant);
    return constant;
  }

  void Describe(const Tensor& tensor, ShownConstant* constant) const {
    constant->dtype = tensor.dtype();
    constant->dims.assign(tensor.shape().begin(), tensor.shape().end());
    constant->elements = tensor.num_elements();
    constant->bytes = tensor.byte_size();
    constant->value = ValueText(tensor);
    if (options_.contents) constant->content = ContentHash(tensor);
  }

  // The value of a Constant node, if it is a tensor or a list of numbers.
  std::optional<ShownConstant> ConstantOfNode(const onnx::NodeProto& node) {
    if (node.op_type() != "Constant" || !node.domain().empty() || node.output_size() != 1 ||
        node.attribute_size() != 1 || node.attribute(0).has_ref_attr_name()) {
      return std::nullopt;
    }
    const onnx::AttributeProto& attribute = node.attribute(0);
    std::optional<ShownConstant> constant;
    if (attribute.type() == onnx::AttributeProto::TENSOR) {
      constant = ReadConstant(attribute.t(), node.output(0));
    } else if (const std::optional<Attribute> plain = PlainAttributeFromProto(attribute)) {
      constant.emplace();
      if (const auto* integer = std::get_if<int64_t>(&*plain)) {
        Describe(Tensor::Scalar(*integer), &*constant);
      } else if (const auto* number = std::get_if<float>(&*plain)) {
        Describe(Tensor::Scalar(*number), &*constant);
      } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&*plain)) {
        Describe(Tensor::Of({static_cast<int64_t>(integers->size())}, *integers), &*constant);
      } else if (const auto* numbers = std::get_if<std::vector<float>>(&*plain)) {
        Describe(Tensor::Of({static_cast<int64_t>(numbers->size())}, *numbers), &*constant);
      } else {
        return std::nullopt;
      }
    }
    if (constant.has_value()) {
      constant->name = node.output(0);
      constant->from_node = true;
    }
    return constant;
  }

  void ReadNode(const onnx::NodeProto& proto, ShownGraph* graph) {
    if (std::optional<ShownConstant> constant = ConstantOfNode(proto)) {
      AddConstant(*std::move(constant), graph);
      return;
    }
    ShownNode node;
    CallFromProto(proto, &node);
    ReadSchema(&node);
    std::vector<std::string> hashed;
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      ReadAttribute(attribute, &node);
      const auto standard = node.defaults.find(attribute.name());
      if (standard != node.defaults.end() && !node.attributes.empty() &&
          node.attributes.back().first == standard->first &&
          node.attributes.back().second == standard->second) {
        continue;
      }
      const bool has_graphs = attribute.has_g() || attribute.graphs_size() > 0;
      onnx::AttributeProto bare = has_graphs ? onnx::AttributeProto() : attribute;
      bare.set_name(attribute.name());
      bare.clear_doc_string();
      if (attribute.has_t()) {
        // By its elements, in whichever field they stand.
        bare.clear_t();
        bare.set_i(static_cast<int64_t>(ReadConstant(attribute.t(), attribute.name()).content));
      }
      hashed.push_back(bare.SerializeAsString());
      node.attribute_hashes[attribute.name()] = HashOfBytes(hashed.back());
    }
    std::sort(hashed.begin(), hashed.end());
    node.attributes_hash = HashOfBytes(absl::StrJoin(hashed, "\n"));
    ReadPlace(proto, &node);
    graph->nodes.push_back(std::move(node));
  }

  void ReadSchema(ShownNode* node) const {
    const auto import = imports_.find(node->domain);
    if (import == imports_.end()) return;
    const onnx::OpSchema* schema =
        registry_.FindSchema(node->domain, node->op_type, import->second);
    if (schema == nullptr) return;
    node->since = schema->SinceVersion();
    const std::shared_ptr<const Signature> signature = MakeSignature(*schema);
    for (const auto& [name, value] : signature->defaults) {
      const auto* number = std::get_if<float>(&value);
      node->defaults[name] =
          number != nullptr ? NumberText(*number) : Shortened(AttributeText(value));
    }
  }

  void ReadAttribute(const onnx::AttributeProto& attribute, ShownNode* node) {
    if (attribute.has_ref_attr_name() && !attribute.ref_attr_name().empty()) {
      node->attributes.emplace_back(attribute.name(), "@" + attribute.ref_attr_name());
      return;
    }
    switch (attribute.type()) {
      case onnx::AttributeProto::GRAPH:
        node->graphs.emplace_back(attribute.name(),
                                  std::make_shared<ShownGraph>(ReadGraph(attribute.g())));
        return;
      case onnx::AttributeProto::GRAPHS:
        for (const onnx::GraphProto& graph : attribute.graphs()) {
          node->graphs.emplace_back(attribute.name(),
                                    std::make_shared<ShownGraph>(ReadGraph(graph)));
        }
        return;
      case onnx::AttributeProto::TENSOR: {
        const ShownConstant constant = ReadConstant(attribute.t(), attribute.name());
        node->attributes.emplace_back(attribute.name(),
                                      constant.inlined() ? constant.value : constant.type());
        return;
      }
      case onnx::AttributeProto::TYPE_PROTO:
        node->attributes.emplace_back(attribute.name(), ShownType(TypeFromProto(attribute.tp())));
        return;
      case onnx::AttributeProto::FLOAT:
        node->attributes.emplace_back(attribute.name(), NumberText(attribute.f()));
        return;
      default:
        break;
    }
    const std::optional<Attribute> plain = PlainAttributeFromProto(attribute);
    node->attributes.emplace_back(attribute.name(),
                                  plain.has_value() ? Shortened(AttributeText(*plain)) : "...");
  }

  // Where in the framework's program the node comes from.
  static void ReadPlace(const onnx::NodeProto& proto, ShownNode* node) {
    for (const onnx::StringStringEntryProto& entry : proto.metadata_props()) {
      if (entry.key() == "pkg.torch.onnx.name_scopes") {
        node->scope = absl::StrJoin(absl::StrSplit(ModuleOfNameScopes(entry.value()), '.'), "/");
      } else if (entry.key() == "namespace" && node->scope.empty()) {
        node->scope = absl::StrJoin(absl::StrSplit(ModuleOfNamespace(entry.value()), '.'), "/");
      } else if (entry.key() == "pkg.torch.onnx.stack_trace") {
        node->source = LineOfStackTrace(entry.value());
      }
    }
    if (!node->scope.empty()) return;
    // Names of PyTorch's older exporter and of TensorFlow are paths.
    absl::string_view name = proto.name();
    const size_t slash = name.rfind('/');
    if (slash == absl::string_view::npos) return;
    name = name.substr(0, slash);
    absl::ConsumePrefix(&name, "/");
    node->scope = std::string(name);
  }

  void ReadFunction(const onnx::FunctionProto& proto) {
    ShownFunction function;
    function.domain = proto.domain();
    function.name = proto.name();
    function.overload = proto.overload();
    function.imports = Imports(proto.opset_import());
    imports_ = function.imports.empty() ? model_.imports : function.imports;
    function.attributes.assign(proto.attribute().begin(), proto.attribute().end());
    for (const onnx::AttributeProto& attribute : proto.attribute_proto()) {
      const std::optional<Attribute> plain = PlainAttributeFromProto(attribute);
      function.attributes.push_back(
          absl::StrCat(attribute.name(), "=", plain.has_value() ? AttributeText(*plain) : "..."));
    }
    function.body.name = proto.name();
    function.body.inputs.assign(proto.input().begin(), proto.input().end());
    function.body.outputs.assign(proto.output().begin(), proto.output().end());
    for (const onnx::ValueInfoProto& info : proto.value_info()) AddType(info, &function.body);
    for (const onnx::NodeProto& node : proto.node()) ReadNode(node, &function.body);
    model_.functions.push_back(std::move(function));
  }

  void CountCalls() {
    absl::flat_hash_map<std::string, int64_t> calls;
    const auto count = [&](const ShownGraph&, const ShownNode& node) { ++calls[node.op()]; };
    ForEachNode(model_.graph, count);
    for (const ShownFunction& function : model_.functions) ForEachNode(function.body, count);
    for (ShownFunction& function : model_.functions) function.calls = calls[function.op()];
  }

  void ReadFreeDimensions() {
    for (const std::string& input : model_.graph.inputs) {
      const auto type = model_.graph.types.find(input);
      if (type == model_.graph.types.end() || !type->second.shape.has_value()) continue;
      for (size_t axis = 0; axis < type->second.shape->size(); ++axis) {
        const TypeInfo::Dim& dim = (*type->second.shape)[axis];
        if (dim.value.has_value()) continue;
        const std::string symbol = dim.symbol.empty() ? "?" : dim.symbol;
        auto& all = model_.free_dimensions;
        auto it = std::find_if(all.begin(), all.end(),
                               [&](const auto& one) { return one.first == symbol; });
        if (it == all.end()) it = all.insert(all.end(), {symbol, {}});
        it->second.push_back(absl::StrCat(input, "[", axis, "]"));
      }
    }
  }

  const onnx::ModelProto& proto_;
  const OpRegistry& registry_;
  const ShowOptions& options_;
  OpsetImports imports_;  // the present graph's
  ExternalData external_;
  ShownModel model_;
};

// Gives free dimensions of the inputs their sizes.
absl::Status SetDimensions(const ShowOptions& options, onnx::ModelProto* model) {
  for (const auto& [name, size] : options.dims) {
    bool found = false;
    for (onnx::ValueInfoProto& input : *model->mutable_graph()->mutable_input()) {
      if (!input.type().has_tensor_type()) continue;
      onnx::TypeProto::Tensor* type = input.mutable_type()->mutable_tensor_type();
      for (int i = 0; i < type->shape().dim_size(); ++i) {
        if (type->shape().dim(i).dim_param() != name) continue;
        type->mutable_shape()->mutable_dim(i)->set_dim_value(size);
        found = true;
      }
    }
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dim ", name, "=", size, ": no input has such a dimension"));
    }
  }
  if (options.dims.empty()) return absl::OkStatus();
  // Types declared of other values may still have the names.
  model->mutable_graph()->clear_value_info();
  for (onnx::ValueInfoProto& output : *model->mutable_graph()->mutable_output()) {
    if (output.type().has_tensor_type()) {
      output.mutable_type()->mutable_tensor_type()->clear_shape();
    }
  }
  return absl::OkStatus();
}

// Sorted, and inlined if that is asked for. A graph that cannot be sorted stays as it stands in the
// file: who debugs an exporter wants to see the input that nobody makes. What is beyond the limits
// would not come to an end in ONNX's shape inference.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadMessage(const std::string& path,
                                                              const OpRegistry& registry,
                                                              Functions functions,
                                                              std::vector<std::string>* notes) {
  LoadOptions load;
  load.functions = functions;
  absl::StatusOr<std::shared_ptr<onnx::ModelProto>> sorted = LoadModelProto(path, registry, load);
  if (sorted.ok() || absl::IsResourceExhausted(sorted.status())) return sorted;
  absl::StatusOr<std::shared_ptr<onnx::ModelProto>> plain = ReadModelFile(path, load.max_depth);
  if (!plain.ok() || (*plain)->graph().node().empty()) return sorted.status();
  notes->push_back(
      absl::StrCat("it cannot run: ",
                   absl::StripPrefix(sorted.status().message(), absl::StrCat(OneLine(path), ": ")),
                   "; nodes stand as in the file"));
  return plain;
}

}  // namespace

absl::StatusOr<ShownModel> ReadShownModel(const std::string& path, const OpRegistry& registry,
                                          const ShowOptions& options) {
  std::vector<std::string> notes;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<onnx::ModelProto> proto,
                      ReadMessage(path, registry, options.functions, &notes));
  OC_RETURN_IF_ERROR(SetDimensions(options, proto.get()));
  const absl::Status inferred = InferShapes(*proto, /*propagate=*/true);
  ShownModel model = ModelReader(*proto, path, registry, options).Read();
  model.path = path;
  if (!inferred.ok()) model.notes.emplace_back(inferred.message());
  model.notes.insert(model.notes.begin(), notes.begin(), notes.end());
  return model;
}

}  // namespace onnxcmp
