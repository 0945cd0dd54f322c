#include "compare/causes/repro/region_model.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "compare/causes/repro/renamed_node.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/model/value_type.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr char kProducer[] = "onnxcmp";
// Version of ai.onnx if a model does not import it: Cast and Reshape belong to it.
constexpr int64_t kAnyOpset = 13;
constexpr int64_t kReshapeWithInput = 5;

Node ConstantNode(const SideGraph& graph, int result) {
  return *graph.node(graph.producer(result)).node;
}

bool IsConstantNode(const SideGraph& graph, int result) {
  const int n = graph.producer(result);
  return n != kNone && graph.IsConstant(result) && graph.node(n).node != nullptr;
}

// Adds a Clip that keeps numbers finite that a Cast would make infinite, as the search does.
absl::Status Saturate(DType from, DType to, int64_t opset, Node* clip,
                      absl::flat_hash_set<std::string>* taken, Graph* graph) {
  constexpr int64_t kBoundsAsInputs = 11;
  const double greatest = GreatestFinite(to);
  if (opset < kBoundsAsInputs) {
    clip->attributes["min"] = static_cast<float>(-greatest);
    clip->attributes["max"] = static_cast<float>(greatest);
    return absl::OkStatus();
  }
  for (const double bound : {-greatest, greatest}) {
    OC_ASSIGN_OR_RETURN(Value value, ConvertedTo(Tensor::Of<double>({}, {bound}), from, {}));
    clip->inputs.push_back(NewName(bound < 0 ? "least" : "greatest", taken));
    graph->initializers.push_back({clip->inputs.back(), std::move(value)});
  }
  return absl::OkStatus();
}

// Adds nodes that convert between layouts of channels and between signs. Returns the resulting
// shape.
Shape AddForm(const RegionModel::Input& entry,
              absl::FunctionRef<Node&(const std::string& op_type, bool last)> add,
              absl::flat_hash_set<std::string>* taken, Graph* graph) {
  const Tensor& value = entry.value.tensor();
  Shape shape = value.shape();
  if (entry.form.channels_first != entry.wanted_form.channels_first) {
    std::vector<int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (entry.form.channels_first) {
      std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
    } else {
      std::rotate(axes.begin() + 1, axes.begin() + 2, axes.end());
    }
    for (size_t i = 0; i < axes.size(); ++i) shape[i] = value.shape()[static_cast<size_t>(axes[i])];
    add("Transpose", false).attributes["perm"] = std::move(axes);
  }
  if (entry.form.other_sign != entry.wanted_form.other_sign &&
      value.dtype() != entry.wanted.tensor().dtype()) {
    const int32_t half = 1 << (BitWidth(value.dtype()) - 1);
    add("Cast", false).attributes["to"] = static_cast<int64_t>(DType::kInt32);
    add("Add", false).inputs.push_back(NewName(absl::StrCat(entry.name, "_half"), taken));
    graph->initializers.push_back(
        {graph->nodes.back().inputs.back(),
         Tensor::Of<int32_t>({}, {IsSignedInteger(value.dtype()) ? half : -half})});
  }
  return shape;
}

}  // namespace

std::string NewName(const std::string& wanted, absl::flat_hash_set<std::string>* taken) {
  std::string name = wanted;
  for (int i = 1; !taken->insert(name).second; ++i) name = absl::StrCat(wanted, "_", i);
  return name;
}

absl::flat_hash_set<std::string> RegionModel::Names(const std::vector<Constant>& constants) const {
  absl::flat_hash_set<std::string> names = {NameOf(result_)};
  for (const Constant& constant : constants) names.insert(NameOf(constant.result));
  for (const int n : region_.nodes) {
    const Node& node = *graph_.node(n).node;
    names.insert(node.outputs.begin(), node.outputs.end());
    for (const Graph* inner : GraphsOf(node)) CollectNames(*inner, &names);
  }
  return names;
}

absl::StatusOr<std::string> RegionModel::Convert(const Input& entry,
                                                 absl::flat_hash_set<std::string>* taken,
                                                 Model* made) const {
  if (!entry.value.is_tensor() || !entry.wanted.is_tensor()) return entry.name;
  const Tensor& value = entry.value.tensor();
  const Tensor& wanted = entry.wanted.tensor();
  auto imports = std::make_shared<OpsetImports>(model_.imports);
  const int64_t opset = imports->try_emplace(std::string(kOnnxDomain), kAnyOpset).first->second;
  std::string name = entry.name;
  const auto add = [&](const std::string& op_type, bool last) -> Node& {
    Node& node = made->graph.nodes.emplace_back();
    node.op_type = op_type;
    node.inputs = {name};
    name = NewName(last ? NameOf(entry.result) : absl::StrCat(name, "_cast"), taken);
    node.outputs = {name};
    node.name = name;
    node.imports = imports;
    return node;
  };
  const bool by_sign =
      entry.form.other_sign != entry.wanted_form.other_sign && value.dtype() != wanted.dtype();
  const Shape shape = AddForm(entry, add, taken, &made->graph);
  const bool reshape = shape != wanted.shape();
  if (!by_sign && value.dtype() != wanted.dtype() && Overflows(value, wanted.dtype())) {
    OC_RETURN_IF_ERROR(
        Saturate(value.dtype(), wanted.dtype(), opset, &add("Clip", false), taken, &made->graph));
  }
  if (value.dtype() != wanted.dtype()) {
    add("Cast", !reshape).attributes["to"] = static_cast<int64_t>(wanted.dtype());
  }
  if (!reshape) return name;
  Node& node = add("Reshape", true);
  if (opset < kReshapeWithInput) {
    node.attributes["shape"] = std::vector<int64_t>(wanted.shape().begin(), wanted.shape().end());
    return name;
  }
  node.inputs.push_back(NewName(absl::StrCat(name, "_shape"), taken));
  made->graph.initializers.push_back(
      {node.inputs.back(),
       Tensor::Of<int64_t>({static_cast<int64_t>(wanted.shape().size())},
                           std::vector<int64_t>(wanted.shape().begin(), wanted.shape().end()))});
  return name;
}

absl::StatusOr<Model> RegionModel::Make(const std::vector<ReproInput>& inputs,
                                        const std::vector<Input>& entries,
                                        const std::vector<Constant>& constants,
                                        const Value& given) const {
  Model made;
  made.ir_version = model_.ir_version;
  made.producer = kProducer;
  made.imports = model_.imports;
  made.graph.name = model_.graph.name;
  absl::flat_hash_set<std::string> taken = Names(constants);
  for (const ReproInput& input : inputs) {
    taken.insert(input.name);
    OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(input.value));
    made.graph.inputs.push_back({input.name, std::move(type)});
  }
  for (const Constant& constant : constants) {
    if (constant.own && IsConstantNode(graph_, constant.result)) {
      made.graph.nodes.push_back(ConstantNode(graph_, constant.result));
    } else if (constant.value.is_tensor() || constant.value.is_sparse()) {
      made.graph.initializers.push_back({NameOf(constant.result), constant.value});
    } else {
      return absl::UnimplementedError(absl::StrCat("'", NameOf(constant.result), "' ",
                                                   constant.value.TypeString(),
                                                   " cannot be an initializer"));
    }
  }
  NameMap reads;
  // Nodes may also make a value that is an entry, beside another one: it must not hide the entry.
  NameMap makes;
  for (const Constant& constant : constants) {
    if (IsConstantNode(graph_, constant.result) && constant.own) continue;
    makes[NameOf(constant.result)] = "";
  }
  for (const Input& entry : entries) {
    OC_ASSIGN_OR_RETURN(reads[NameOf(entry.result)], Convert(entry, &taken, &made));
    makes[NameOf(entry.result)] = "";
  }
  for (const int n : region_.nodes) {
    Node node = WithReadsRenamed(*graph_.node(n).node, reads);
    for (std::string& output : node.outputs) {
      const auto hidden = makes.find(output);
      if (hidden == makes.end()) continue;
      if (hidden->second.empty()) {
        hidden->second = NewName(absl::StrCat(output, "_own"), &taken);
      }
      output = hidden->second;
    }
    made.graph.nodes.push_back(std::move(node));
  }
  OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(given));
  const auto read_as = reads.find(NameOf(result_));
  made.graph.outputs.push_back(
      {read_as == reads.end() ? NameOf(result_) : read_as->second, std::move(type)});
  return made;
}

}  // namespace onnxcmp
