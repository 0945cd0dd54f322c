#include "evaluator/load/model_builder.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/load/node_call.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

absl::StatusOr<ValueInfo> BuildValueInfo(const onnx::ValueInfoProto& proto) {
  int elem_type = proto.type().has_tensor_type() ? proto.type().tensor_type().elem_type()
                                                 : proto.type().sparse_tensor_type().elem_type();
  if (elem_type < 0 || elem_type >= kNumDTypes) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(proto.name()), " has the unknown element type ", elem_type));
  }
  return ValueInfo{proto.name(), TypeFromProto(proto.type())};
}

// An input's default against the type that the input declares.
absl::Status CheckDefault(const ValueInfo& input, const Value& value) {
  // CheckFeed says "was given", which fits.
  return value.is_tensor() ? CheckFeed(input, value) : absl::OkStatus();
}

bool IsOnnxDomain(absl::string_view domain) {
  return domain == kOnnxDomain || domain == kMlDomain || domain == kPreviewDomain ||
         domain == kTrainingDomain;
}

std::string DomainName(absl::string_view domain) {
  return domain.empty() ? "ai.onnx" : OneLine(domain);
}

// "'MatMul_3' in decoder/attention_0".
std::string NodeName(const onnx::NodeProto& node, absl::string_view path) {
  auto output = std::find_if(node.output().begin(), node.output().end(),
                             [](const std::string& name) { return !name.empty(); });
  std::string text = !node.name().empty()            ? Quoted(node.name())
                     : output != node.output().end() ? absl::StrCat("-> ", Quoted(*output))
                                                     : "a node without name or outputs";
  if (!path.empty()) absl::StrAppend(&text, " in ", OneLine(path));
  return text;
}

// How many value fields of an attribute are set, and whether one of them is its type's.
absl::Status CheckAttributeFields(const onnx::AttributeProto& proto) {
  using Proto = onnx::AttributeProto;
  const std::pair<Proto::AttributeType, bool> fields[] = {
      {Proto::FLOAT, proto.has_f()},
      {Proto::INT, proto.has_i()},
      {Proto::STRING, proto.has_s()},
      {Proto::TENSOR, proto.has_t()},
      {Proto::GRAPH, proto.has_g()},
      {Proto::SPARSE_TENSOR, proto.has_sparse_tensor()},
      {Proto::TYPE_PROTO, proto.has_tp()},
      {Proto::FLOATS, proto.floats_size() > 0},
      {Proto::INTS, proto.ints_size() > 0},
      {Proto::STRINGS, proto.strings_size() > 0},
      {Proto::TENSORS, proto.tensors_size() > 0},
      {Proto::GRAPHS, proto.graphs_size() > 0},
      {Proto::SPARSE_TENSORS, proto.sparse_tensors_size() > 0},
      {Proto::TYPE_PROTOS, proto.type_protos_size() > 0},
  };
  bool found = false;
  for (const auto& [type, is_set] : fields) {
    if (is_set && type != proto.type()) {
      return absl::InvalidArgumentError(
          absl::StrCat("it is declared as ", Proto::AttributeType_Name(proto.type()),
                       " and holds a value of ", Proto::AttributeType_Name(type)));
    }
    found = found || is_set;
  }
  const bool needs_value = proto.type() == Proto::UNDEFINED || proto.type() == Proto::TENSOR ||
                           proto.type() == Proto::GRAPH || proto.type() == Proto::SPARSE_TENSOR ||
                           proto.type() == Proto::TYPE_PROTO;
  if (needs_value && !found) return absl::InvalidArgumentError("it has no value");
  return absl::OkStatus();
}

bool HasReferences(const onnx::NodeProto& node) {
  auto in_graph = [](const onnx::GraphProto& graph) {
    return std::any_of(graph.node().begin(), graph.node().end(), HasReferences);
  };
  return std::any_of(node.attribute().begin(), node.attribute().end(), [&](const auto& attribute) {
    return !attribute.ref_attr_name().empty() || in_graph(attribute.g()) ||
           std::any_of(attribute.graphs().begin(), attribute.graphs().end(), in_graph);
  });
}

// Inputs of these names become inputs that are left out, here and in the node's graphs.
void LeaveOut(const absl::flat_hash_set<absl::string_view>& names, onnx::NodeProto* node) {
  for (std::string& input : *node->mutable_input()) {
    if (names.contains(input)) input.clear();
  }
  ForEachSubgraph(node, [&](const onnx::AttributeProto&, onnx::GraphProto* graph) {
    for (onnx::NodeProto& inner : *graph->mutable_node()) LeaveOut(names, &inner);
    return absl::OkStatus();
  }).IgnoreError();
}

}  // namespace

ModelBuilder::ModelBuilder(std::shared_ptr<const onnx::ModelProto> proto,
                           const OpRegistry& registry, const Origins& origins,
                           const FunctionTable* kept, ExternalData* external)
    : proto_(std::move(proto)),
      registry_(registry),
      origins_(origins),
      kept_(kept),
      external_(external),
      budget_(*proto_) {}

absl::Status ModelBuilder::Build(const OpsetImports& imports, Model* model) {
  notes_ = &model->notes;
  model->ir_version = proto_->ir_version();
  model->producer = proto_->producer_version().empty()
                        ? proto_->producer_name()
                        : absl::StrCat(proto_->producer_name(), " ", proto_->producer_version());
  model->imports = imports;
  Context context;
  context.imports = std::make_shared<const OpsetImports>(imports);
  context.owner = proto_;
  OC_ASSIGN_OR_RETURN(model->graph, BuildGraph(proto_->graph(), context));
  return UnknownOperatorsError();
}

absl::StatusOr<std::shared_ptr<const Graph>> ModelBuilder::BuildCall(
    const onnx::NodeProto& call, const LocalFunction& function,
    absl::Span<const Node* const> given) {
  std::vector<std::string> notes;
  notes_ = &notes;
  given_ = given;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> body, BuildBody(call, function, Context()));
  OC_RETURN_IF_ERROR(UnknownOperatorsError());
  return body;
}

absl::StatusOr<Graph> ModelBuilder::BuildGraph(const onnx::GraphProto& proto,
                                               const Context& context) {
  Graph graph;
  graph.name = proto.name();
  for (const onnx::ValueInfoProto& input : proto.input()) {
    OC_ASSIGN_OR_RETURN(ValueInfo info, BuildValueInfo(input));
    graph.inputs.push_back(std::move(info));
  }
  for (const onnx::ValueInfoProto& output : proto.output()) {
    OC_ASSIGN_OR_RETURN(ValueInfo info, BuildValueInfo(output));
    graph.outputs.push_back(std::move(info));
  }
  OC_RETURN_IF_ERROR(AddInitializers(proto, context, &graph));
  graph.nodes.reserve(static_cast<size_t>(proto.node_size()));
  for (const onnx::NodeProto& node : proto.node()) {
    OC_ASSIGN_OR_RETURN(Node built, BuildNode(node, context));
    graph.nodes.push_back(std::move(built));
  }
  return graph;
}

absl::Status ModelBuilder::AddInitializers(const onnx::GraphProto& proto, const Context& context,
                                           Graph* graph) {
  absl::flat_hash_map<absl::string_view, const ValueInfo*> inputs;
  for (const ValueInfo& input : graph->inputs) inputs[input.name] = &input;
  auto add = [&](const std::string& name, Value value) {
    if (auto input = inputs.find(name); input != inputs.end()) {
      OC_RETURN_IF_ERROR(CheckDefault(*input->second, value));
    }
    graph->initializers.push_back({name, std::move(value)});
    return absl::OkStatus();
  };
  graph->initializers.reserve(static_cast<size_t>(proto.initializer_size()));
  for (const onnx::TensorProto& initializer : proto.initializer()) {
    OC_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(initializer, context.owner, external_));
    OC_RETURN_IF_ERROR(add(initializer.name(), std::move(tensor)));
  }
  for (const onnx::SparseTensorProto& initializer : proto.sparse_initializer()) {
    OC_ASSIGN_OR_RETURN(SparseTensor sparse,
                        SparseTensorFromProto(initializer, context.owner, external_));
    OC_RETURN_IF_ERROR(add(initializer.values().name(), std::move(sparse)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Node> ModelBuilder::BuildNode(const onnx::NodeProto& proto, const Context& around) {
  Context context = around;
  if (auto origin = origins_.find(&proto); origin != origins_.end()) {
    context.call_path = origin->second->call_path;
    context.imports = origin->second->imports;
  }
  Node node;
  size_t number = 0;
  if (proto.domain() == kGivenDomain && absl::SimpleAtoi(proto.op_type(), &number) &&
      number < given_.size()) {
    node = *given_[number];
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    return node;
  }
  CallFromProto(proto, &node);
  if (!context.in_kept_function) node.call_path = context.call_path;
  node.imports = context.imports;
  OC_RETURN_IF_ERROR(AddAttributes(proto, context, &node));
  const LocalFunction* function = kept_ == nullptr ? nullptr : kept_->Find(proto);
  if (function != nullptr) {
    OC_ASSIGN_OR_RETURN(node.body, BuildBody(proto, *function, context));
  } else if (absl::Status status = CheckOperator(node, proto, context); !status.ok()) {
    return Annotate(status, DescribeNode(proto, context.call_path));
  }
  return node;
}

absl::Status ModelBuilder::AddAttributes(const onnx::NodeProto& proto, const Context& context,
                                         Node* node) {
  for (const onnx::AttributeProto& attribute : proto.attribute()) {
    auto failed = [&](const absl::Status& status) {
      return Annotate(status, absl::StrCat(DescribeNode(proto, context.call_path), ": attribute ",
                                           Quoted(attribute.name())));
    };
    absl::StatusOr<Attribute> value = BuildAttribute(attribute, context);
    if (!value.ok()) {
      // An error in a subgraph says where it is by itself.
      return attribute.has_g() ? value.status() : failed(value.status());
    }
    if (!node->attributes.emplace(attribute.name(), *std::move(value)).second) {
      return failed(absl::InvalidArgumentError("it is there twice"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Attribute> ModelBuilder::BuildAttribute(const onnx::AttributeProto& proto,
                                                       const Context& context) {
  if (!proto.ref_attr_name().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("it refers to the attribute ",
                                                   Quoted(proto.ref_attr_name()),
                                                   " of a function, but is in none"));
  }
  OC_RETURN_IF_ERROR(CheckAttributeFields(proto));
  auto graph =
      [&](const onnx::GraphProto& subgraph) -> absl::StatusOr<std::shared_ptr<const Graph>> {
    OC_ASSIGN_OR_RETURN(Graph built, BuildGraph(subgraph, context));
    return std::make_shared<const Graph>(std::move(built));
  };
  if (std::optional<Attribute> plain = PlainAttributeFromProto(proto)) return *std::move(plain);
  switch (proto.type()) {
    case onnx::AttributeProto::TENSOR:
      return TensorFromProto(proto.t(), context.owner, external_);
    case onnx::AttributeProto::SPARSE_TENSOR:
      return SparseTensorFromProto(proto.sparse_tensor(), context.owner, external_);
    case onnx::AttributeProto::TYPE_PROTO:
      return Attribute(TypeFromProto(proto.tp()));
    case onnx::AttributeProto::GRAPH:
      return graph(proto.g());
    case onnx::AttributeProto::TENSORS: {
      std::vector<Tensor> tensors;
      for (const onnx::TensorProto& tensor : proto.tensors()) {
        OC_ASSIGN_OR_RETURN(Tensor built, TensorFromProto(tensor, context.owner, external_));
        tensors.push_back(std::move(built));
      }
      return Attribute(std::move(tensors));
    }
    case onnx::AttributeProto::GRAPHS: {
      std::vector<std::shared_ptr<const Graph>> graphs;
      for (const onnx::GraphProto& subgraph : proto.graphs()) {
        OC_ASSIGN_OR_RETURN(std::shared_ptr<const Graph> built, graph(subgraph));
        graphs.push_back(std::move(built));
      }
      return Attribute(std::move(graphs));
    }
    case onnx::AttributeProto::TYPE_PROTOS: {
      std::vector<TypeInfo> types;
      for (const onnx::TypeProto& type : proto.type_protos()) types.push_back(TypeFromProto(type));
      return Attribute(std::move(types));
    }
    default:
      return absl::UnimplementedError(absl::StrCat(
          "attributes of type ", onnx::AttributeProto::AttributeType_Name(proto.type()),
          " are not supported"));
  }
}

absl::Status ModelBuilder::CheckOperator(const Node& node, const onnx::NodeProto& proto,
                                         const Context& context) {
  int64_t latest = registry_.LatestVersion(node.domain);
  int64_t version = latest;
  if (auto import = context.imports->find(node.domain); import != context.imports->end()) {
    version = import->second;
    if (version < 1 || (IsOnnxDomain(node.domain) && version > latest)) {
      const std::string known =
          version < 1 ? "the first is 1"
                      : absl::StrCat("the newest is ", latest, ": update onnxcmp",
                                     node.domain == kOnnxDomain
                                         ? ", or convert the model with onnx.version_converter"
                                         : "");
      return absl::InvalidArgumentError(absl::StrCat(
          "opset ", version, " of ", DomainName(node.domain), " is not known; ", known));
    }
  } else if (node.domain == kOnnxDomain) {
    return absl::InvalidArgumentError(
        "the model imports no opset of ai.onnx, so its operators' version is not known");
  } else if (latest > 0 && domains_without_import_.insert(node.domain).second) {
    notes_->push_back(absl::StrCat("no opset of ", DomainName(node.domain),
                                   " is imported; version ", latest, " is taken"));
  }
  const onnx::OpSchema* schema = registry_.FindSchema(node.domain, node.op_type, version);
  // A version that deprecates the operator runs if there is a kernel for it: models use it all the
  // same (GroupNormalization 18, Upsample 10).
  if (schema != nullptr &&
      (!schema->Deprecated() ||
       registry_.FindKernel(node.domain, node.op_type, schema->SinceVersion()) != nullptr)) {
    return CheckNode(node, *schema);
  }
  unknown_[absl::StrCat(OperatorName(node.domain, node.op_type),
                        schema != nullptr ? " (removed from opset " : " (opset ", version)]
      .push_back(NodeName(proto, context.call_path));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Graph>> ModelBuilder::BuildBody(const onnx::NodeProto& call,
                                                                     const LocalFunction& function,
                                                                     const Context& around) {
  const std::string where = DescribeNode(call, around.call_path);
  if (absl::Status status = CheckCall(call, *function.proto); !status.ok()) {
    return Annotate(status, where);
  }
  // Calls that bind the same attributes and leave out the same inputs share a body.
  std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(function.proto), ";");
  const bool has_references =
      std::any_of(function.proto->node().begin(), function.proto->node().end(), HasReferences);
  const AttributeBindings bindings = BindAttributes(call, *function.proto);
  if (has_references) {
    std::map<absl::string_view, std::string> sorted;
    for (const auto& [name, attribute] : bindings) {
      sorted[name] = attribute->SerializeAsString();
    }
    for (const auto& [name, bytes] : sorted) absl::StrAppend(&key, bytes.size(), ":", bytes);
  }
  absl::flat_hash_set<absl::string_view> absent;
  for (int i = 0; i < function.proto->input_size(); ++i) {
    if (i < call.input_size() && !call.input(i).empty()) continue;
    absent.insert(function.proto->input(i));
    absl::StrAppend(&key, ";", i);
  }
  std::shared_ptr<const Graph>& body = bodies_[key];
  if (body != nullptr) return body;
  OC_RETURN_IF_ERROR(budget_.Spend(function.bytes));

  Context context;
  context.call_path = around.call_path.empty()
                          ? FunctionName(*function.proto)
                          : absl::StrCat(around.call_path, "/", FunctionName(*function.proto));
  context.imports = function.imports;
  context.in_kept_function = true;
  auto proto = std::make_shared<onnx::GraphProto>();
  proto->set_name(function.proto->name());
  for (const std::string& input : function.proto->input()) proto->add_input()->set_name(input);
  for (const std::string& output : function.proto->output()) proto->add_output()->set_name(output);
  *proto->mutable_node() = function.proto->node();
  auto on_bound = [](const onnx::AttributeProto& from, const onnx::AttributeProto&) {
    if (!from.has_g() && from.graphs_size() == 0) return absl::OkStatus();
    return absl::UnimplementedError(
        absl::StrCat("attribute ", Quoted(from.name()),
                     " passes a graph to a function; such functions must be inlined"));
  };
  for (onnx::NodeProto& node : *proto->mutable_node()) {
    if (!absent.empty()) LeaveOut(absent, &node);
    if (absl::Status status = BindReferences(bindings, on_bound, &node); !status.ok()) {
      return Annotate(status, where);
    }
  }
  context.owner = proto;
  OC_ASSIGN_OR_RETURN(Graph built, BuildGraph(*proto, context));
  // Looked up anew: building may have added others.
  return bodies_[key] = std::make_shared<const Graph>(std::move(built));
}

absl::Status ModelBuilder::UnknownOperatorsError() const {
  if (unknown_.empty()) return absl::OkStatus();
  constexpr size_t kMaxOperators = 20;
  constexpr size_t kMaxNodes = 5;
  std::string text;
  size_t listed = 0;
  for (const auto& [name, nodes] : unknown_) {
    if (listed++ == kMaxOperators) {
      absl::StrAppend(&text, "; and ", unknown_.size() - kMaxOperators, " more");
      break;
    }
    auto shown = absl::MakeConstSpan(nodes).subspan(0, kMaxNodes);
    absl::StrAppend(&text, listed == 1 ? "" : "; ", name, ") at ", absl::StrJoin(shown, ", "));
    if (nodes.size() > kMaxNodes) {
      absl::StrAppend(&text, " and ", nodes.size() - kMaxNodes, " more nodes");
    }
  }
  return absl::UnimplementedError(
      absl::StrCat(unknown_.size() == 1 ? "an operator is" : "operators are",
                   " neither known nor a function of the model: ", text));
}

}  // namespace onnxcmp
