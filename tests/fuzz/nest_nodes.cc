// Changes that bring control flow, functions and external data into models.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"
#include "tests/fuzz/mutate_model.h"

namespace onnxcmp::fuzz {
namespace {

constexpr char kDomain[] = "fuzz";

// A graph of one node, whose results it gives under other names.
void SetBody(const onnx::NodeProto& node, const std::string& name, const std::string& suffix,
             onnx::GraphProto* graph) {
  graph->set_name(name);
  onnx::NodeProto* inner = graph->add_node();
  *inner = node;
  for (std::string& output : *inner->mutable_output()) {
    if (output.empty()) continue;
    output += suffix;
    graph->add_output()->set_name(output);
  }
}

onnx::GraphProto* AddGraph(const char* name, onnx::NodeProto* node) {
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  return attribute->mutable_g();
}

std::string AddScalar(const std::string& name, int32_t type, int64_t value,
                      onnx::GraphProto* graph) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  if (type == onnx::TensorProto::BOOL) {
    tensor->add_int32_data(static_cast<int32_t>(value));
  } else {
    tensor->add_int64_data(value);
  }
  return name;
}

onnx::NodeProto InIf(const onnx::NodeProto& node, const std::string& suffix, bool condition,
                     onnx::GraphProto* graph) {
  onnx::NodeProto outer;
  outer.set_op_type("If");
  outer.add_input(
      AddScalar(absl::StrCat("if", suffix), onnx::TensorProto::BOOL, condition ? 1 : 0, graph));
  *outer.mutable_output() = node.output();
  SetBody(node, "then", absl::StrCat(suffix, "t"), AddGraph("then_branch", &outer));
  SetBody(node, "else", absl::StrCat(suffix, "e"), AddGraph("else_branch", &outer));
  return outer;
}

// Its results are joined over the iterations.
onnx::NodeProto InLoop(const onnx::NodeProto& node, const std::string& suffix, int64_t trips,
                       onnx::GraphProto* graph) {
  onnx::NodeProto outer;
  outer.set_op_type("Loop");
  outer.add_input(AddScalar(absl::StrCat("trips", suffix), onnx::TensorProto::INT64, trips, graph));
  outer.add_input(AddScalar(absl::StrCat("go", suffix), onnx::TensorProto::BOOL, 1, graph));
  *outer.mutable_output() = node.output();
  onnx::GraphProto* body = AddGraph("body", &outer);
  body->add_input()->set_name(absl::StrCat("i", suffix));
  body->add_input()->set_name(absl::StrCat("c", suffix));
  body->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT64);
  body->mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::BOOL);
  onnx::NodeProto* keep = body->add_node();
  keep->set_op_type("Identity");
  keep->add_input(absl::StrCat("c", suffix));
  keep->add_output(absl::StrCat("d", suffix));
  body->add_output()->set_name(keep->output(0));
  SetBody(node, "body", suffix, body);
  return outer;
}

onnx::NodeProto InFunction(const onnx::NodeProto& node, const std::string& suffix,
                           onnx::ModelProto* model) {
  onnx::FunctionProto* function = model->add_functions();
  function->set_name(absl::StrCat("F", suffix));
  function->set_domain(kDomain);
  *function->mutable_opset_import() = model->opset_import();
  *function->mutable_input() = node.input();
  *function->mutable_output() = node.output();
  *function->add_node() = node;
  bool known = false;
  for (const auto& opset : model->opset_import()) known = known || opset.domain() == kDomain;
  if (!known) {
    auto* opset = model->add_opset_import();
    opset->set_domain(kDomain);
    opset->set_version(1);
  }
  onnx::NodeProto outer;
  outer.set_op_type(function->name());
  outer.set_domain(kDomain);
  *outer.mutable_input() = node.input();
  *outer.mutable_output() = node.output();
  return outer;
}

}  // namespace

void ModelMutator::NestNode(onnx::ModelProto* model) {
  onnx::GraphProto* graph = graphs_[Below(graphs_.size())];
  if (graph->node_size() == 0) return;
  auto* place = graph->mutable_node(static_cast<int>(Below(graph->node_size())));
  const onnx::NodeProto node = *place;
  const std::string suffix = absl::StrCat("_", random_() % 10000);
  switch (Below(3)) {
    case 0:
      *place = InIf(node, suffix, OneIn(2), graph);
      return;
    case 1:
      *place = InLoop(node, suffix, static_cast<int64_t>(Below(4)), graph);
      return;
    default:
      *place = InFunction(node, suffix, model);
  }
}

void ModelMutator::MoveOut(onnx::TensorProto* tensor) {
  const std::vector<std::string> locations = {"left.onnx",   "m.onnx", "none.data", "",
                                              "/etc/passwd", "../x",   ".",         "a/../m.onnx"};
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  tensor->clear_external_data();
  const auto add = [&](const char* key, std::string value) {
    auto* entry = tensor->add_external_data();
    entry->set_key(key);
    entry->set_value(std::move(value));
  };
  add("location", locations[Below(locations.size())]);
  if (OneIn(2)) add("offset", OneIn(4) ? Text("") : absl::StrCat(Integer(0)));
  if (OneIn(2)) add("length", OneIn(4) ? Text("") : absl::StrCat(Integer(8)));
  if (OneIn(2)) tensor->clear_raw_data();
}

}  // namespace onnxcmp::fuzz
