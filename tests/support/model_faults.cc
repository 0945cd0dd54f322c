#include "tests/support/model_faults.h"

#include "tests/support/fault_places.h"

namespace onnxcmp::testing {
namespace {

class Injector : public FaultPlaces {
 public:
  using FaultPlaces::FaultPlaces;

  Place Inject(const std::string& kind) {
    const auto it = Kinds().find(kind);
    return it == Kinds().end() ? std::nullopt : it->second(*this);
  }

  using Kind = std::function<Place(Injector&)>;
  static const std::map<std::string, Kind>& Kinds();

 private:
  Place WeightOne(double factor) {
    return Change(Weights(16), [&](std::vector<double>* e) { (*e)[Considerable(*e)] *= factor; });
  }
  Place WeightFew() {
    return Change(Weights(16), [&](std::vector<double>* e) {
      for (size_t i = 0; i < e->size() / 20 + 1; ++i) (*e)[Below(e->size())] *= 1.02;
    });
  }
  Place WeightRow() {
    return Change(Weights(16), [&](std::vector<double>* e) {
      const size_t n = e->size() / 4;
      std::fill_n(e->begin() + static_cast<std::ptrdiff_t>(Below(4) * n), n, 0.0);
    });
  }
  Place WeightRolled() {
    return Change(Weights(4), [&](std::vector<double>* e) {
      std::rotate(e->begin(), e->begin() + 1, e->end());
    });
  }
  Place WeightLayout() {
    std::vector<Constant> constants = Constants([](const Tensor& tensor) {
      return tensor.dtype() == DType::kFloat && tensor.rank() == 2 && tensor.dim(0) > 1 &&
             tensor.dim(1) > 1;
    });
    if (constants.empty()) return std::nullopt;
    const Constant& constant = Pick(constants);
    const auto rows = static_cast<size_t>(constant.tensor.dim(0));
    const auto columns = static_cast<size_t>(constant.tensor.dim(1));
    const std::vector<double> elements = ElementsOf<double>(constant.tensor);
    std::vector<double> other(elements.size());
    for (size_t i = 0; i < rows; ++i) {
      for (size_t j = 0; j < columns; ++j) other[j * rows + i] = elements[i * columns + j];
    }
    constant.set(Made(constant.tensor, other));
    return constant.name;
  }
  Place SmallConstant() {
    return Change(Constants([](const Tensor& tensor) {
                    return tensor.dtype() == DType::kFloat && tensor.num_elements() >= 1 &&
                           tensor.num_elements() <= 4;
                  }),
                  [&](std::vector<double>* e) {
                    double& v = (*e)[Below(e->size())];
                    v = v == 0 ? 0.5 : v * 1.1;
                  });
  }
  Place ScalarWithAxis() {
    const auto scalars =
        Constants([](const Tensor& t) { return t.dtype() == DType::kFloat && t.shape().empty(); });
    if (scalars.empty()) return std::nullopt;
    const Constant& scalar = Pick(scalars);
    const double changed = 0.5 - 2 * ElementsOf<double>(scalar.tensor)[0];
    scalar.set(Made<double>(scalar.tensor, {changed}).Reshaped({1}));
    return scalar.name;
  }
  Place LeftOut() {
    Node* node = PickNode([&](const Node& n) {
      return n.op_type != "Identity" && !n.inputs.empty() && IsFloat(n.outputs[0]);
    });
    return Bypass(node, 0);
  }
  Place IntAttribute(const std::vector<std::string>& operators, const std::string& name,
                     const std::function<int64_t(int64_t)>& change, int64_t absent) {
    Node* node = PickOperator(operators);
    if (node == nullptr) return std::nullopt;
    int64_t value = absent;
    if (const auto it = node->attributes.find(name); it != node->attributes.end()) {
      if (!std::holds_alternative<int64_t>(it->second)) return std::nullopt;
      value = std::get<int64_t>(it->second);
    }
    node->attributes[name] = change(value);
    return node->outputs[0];
  }
  Place FloatAttribute(const std::function<bool(const std::string&)>& fits, double factor) {
    std::vector<std::pair<Node*, std::string>> found;
    for (Node& node : graph_.nodes) {
      if (node.op_type == "Constant") continue;
      for (const auto& [name, value] : node.attributes) {
        if (std::holds_alternative<float>(value) && std::get<float>(value) != 0 && fits(name)) {
          found.emplace_back(&node, name);
        }
      }
    }
    if (found.empty()) return std::nullopt;
    const auto [node, name] = Pick(found);
    float& value = std::get<float>(node->attributes.find(name)->second);
    value = static_cast<float>(value * factor);
    return node->outputs[0];
  }
  Place Axis() {
    Node* node = PickNode([](const Node& n) {
      return n.attributes.contains("axis") && n.op_type.find("Softmax") == std::string::npos;
    });
    if (node == nullptr || !std::holds_alternative<int64_t>(node->attributes["axis"])) {
      return std::nullopt;
    }
    const int64_t rank = static_cast<int64_t>(ShapeOf(node->inputs[0]).size());
    if (rank < 2) return std::nullopt;
    int64_t& axis = std::get<int64_t>(node->attributes["axis"]);
    axis = (axis + rank + 1 + static_cast<int64_t>(Below(static_cast<size_t>(rank - 1)))) % rank;
    return node->outputs[0];
  }
  Place ReducedAxes() {
    Node* node = PickNode([](const Node& n) { return n.op_type.starts_with("Reduce"); });
    if (node == nullptr) return std::nullopt;
    const int64_t rank = static_cast<int64_t>(ShapeOf(node->inputs[0]).size());
    if (rank < 2) return std::nullopt;
    const auto move = [&](std::vector<int64_t> axes) {
      for (int64_t& axis : axes) axis = (axis + rank + 1) % rank;
      return axes;
    };
    if (const auto it = node->attributes.find("axes"); it != node->attributes.end()) {
      it->second = move(std::get<std::vector<int64_t>>(it->second));
      return node->outputs[0];
    }
    if (node->inputs.size() < 2) return std::nullopt;
    const std::optional<Constant> axes = ConstantNamed(node->inputs[1]);
    if (!axes.has_value()) return std::nullopt;
    node->inputs[1] = AddInitializer(Made(axes->tensor, move(ElementsOf<int64_t>(axes->tensor))));
    return node->inputs[1];
  }
  Place ConcatOrder() {
    Node* node =
        PickNode([](const Node& n) { return n.op_type == "Concat" && n.inputs.size() >= 2; });
    if (node == nullptr) return std::nullopt;
    std::swap(node->inputs[0], node->inputs[1]);
    return node->outputs[0];
  }
  // Makes a node hand its input on.
  Place Bypass(Node* node, size_t input) {
    if (node == nullptr || ShapeOf(node->inputs[input]) != ShapeOf(node->outputs[0])) {
      return std::nullopt;
    }
    const std::string kept = node->inputs[input];
    node->op_type = "Identity";
    node->domain = "";
    node->attributes.clear();
    node->inputs = {kept};
    node->imports = std::make_shared<const OpsetImports>(model_.imports);
    return node->outputs[0];
  }
  Place LostBias() {
    Node* node = PickNode([&](const Node& n) {
      if (n.op_type == "Add") {
        return IsFloat(n.outputs[0]) &&
               (FindInitializer(n.inputs[0]) != nullptr || FindInitializer(n.inputs[1]) != nullptr);
      }
      return (n.op_type == "Gemm" || n.op_type == "Conv" || n.op_type == "LayerNormalization") &&
             n.inputs.size() == 3;
    });
    if (node == nullptr) return std::nullopt;
    if (node->op_type == "Add") {
      return Bypass(node, FindInitializer(node->inputs[0]) != nullptr ? 1 : 0);
    }
    node->inputs.pop_back();
    return node->outputs[0];
  }
  Place LostResidual() {
    Node* node = PickNode([&](const Node& n) {
      return n.op_type == "Add" && IsFloat(n.inputs[0]) && IsFloat(n.inputs[1]) &&
             FindInitializer(n.inputs[0]) == nullptr && FindInitializer(n.inputs[1]) == nullptr;
    });
    return node == nullptr ? std::nullopt : Bypass(node, Below(2));
  }
  Place LostMask() {
    Node* node = PickNode([&](const Node& n) {
      return (n.op_type == "Where" || n.op_type == "Clip" || n.op_type == "Mul") &&
             n.inputs.size() >= 2 && IsFloat(n.outputs[0]);
    });
    if (node == nullptr) return std::nullopt;
    return Bypass(node, node->op_type == "Where" ? 1 + Below(2) : 0);
  }
  Place GateOrder() {
    Node* node = PickOperator({"LSTM", "GRU"});
    if (node == nullptr) return std::nullopt;
    const std::optional<Constant> weight = ConstantNamed(node->inputs[1 + Below(2)]);
    if (!weight.has_value()) return std::nullopt;
    const size_t gates = node->op_type == "LSTM" ? 4 : 3;
    std::vector<double> elements = ElementsOf<double>(weight->tensor);
    const size_t block = elements.size() / static_cast<size_t>(weight->tensor.dim(0)) / gates;
    std::swap_ranges(elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(block),
                     elements.begin() + static_cast<std::ptrdiff_t>(block));
    weight->set(Made(weight->tensor, elements));
    return weight->name;
  }
  Place Operator() {
    static const auto* const kOthers =
        new std::map<std::string, std::string>({{"Add", "Sub"},
                                                {"Sub", "Add"},
                                                {"Mul", "Add"},
                                                {"Div", "Mul"},
                                                {"Tanh", "Sigmoid"},
                                                {"Sigmoid", "Tanh"},
                                                {"Relu", "Sigmoid"},
                                                {"Erf", "Tanh"},
                                                {"Max", "Min"},
                                                {"Softmax", "LogSoftmax"},
                                                {"Sin", "Cos"},
                                                {"Cos", "Sin"},
                                                {"Gelu", "Sigmoid"},
                                                {"MaxPool", "AveragePool"},
                                                {"Sqrt", "Reciprocal"}});
    Node* node = PickNode([&](const Node& n) {
      return n.domain.empty() && kOthers->contains(n.op_type) && IsFloat(n.outputs[0]);
    });
    if (node == nullptr) return std::nullopt;
    node->op_type = kOthers->at(node->op_type);
    if (node->op_type == "Sigmoid") node->attributes.clear();
    return node->outputs[0];
  }
  Place Float16Detour() {
    const std::vector<std::string> names = FloatResults();
    if (names.empty()) return std::nullopt;
    return Behind(Pick(names), [&](const std::string& from, const std::string& to) {
      Insert("Cast", {from}, from + "_half", {{"to", int64_t{10}}});
      Insert("Cast", {from + "_half"}, to, {{"to", int64_t{1}}});
    });
  }
  Place Scaled(float factor) {
    const std::vector<std::string> names = FloatResults();
    if (names.empty()) return std::nullopt;
    const std::string by = AddInitializer(Tensor::Scalar<float>(factor));
    return Behind(Pick(names), [&](const std::string& from, const std::string& to) {
      Insert("Mul", {from, by}, to);
    });
  }
  Place Negated() {
    const std::vector<std::string> names = FloatResults();
    if (names.empty()) return std::nullopt;
    return Behind(Pick(names), [&](const std::string& from, const std::string& to) {
      Insert("Neg", {from}, to);
    });
  }
  Place Twice() {
    Node* node = PickNode([&](const Node& n) {
      return n.inputs.size() == 1 && n.outputs.size() == 1 && n.domain.empty() &&
             IsFloat(n.outputs[0]) && ShapeOf(n.inputs[0]) == ShapeOf(n.outputs[0]) &&
             (n.op_type == "Tanh" || n.op_type == "Sigmoid" || n.op_type == "Relu" ||
              n.op_type == "Softmax" || n.op_type == "Erf" || n.op_type == "Gelu");
    });
    if (node == nullptr) return std::nullopt;
    const Node copy = *node;
    return Behind(copy.outputs[0], [&](const std::string& from, const std::string& to) {
      Insert(copy.op_type, {from}, to, copy.attributes);
    });
  }
  Place SliceBounds() {
    Node* node =
        PickNode([](const Node& n) { return n.op_type == "Slice" && n.inputs.size() >= 3; });
    if (node == nullptr) return std::nullopt;
    const int64_t by = Below(2) == 0 ? 1 : -1;
    const bool both = Below(2) == 0;
    Place place = node->outputs[0];
    for (const size_t i : {1, 2}) {
      if (i == 2 && !both) break;
      const std::optional<Constant> bound = ConstantNamed(node->inputs[i]);
      if (!bound.has_value()) return std::nullopt;
      std::vector<int64_t> elements = ElementsOf<int64_t>(bound->tensor);
      if (elements.empty()) return std::nullopt;
      elements[0] += by;
      node->inputs[i] = AddInitializer(Made(bound->tensor, elements));
      if (i == 1) place = node->inputs[i];
    }
    return place;
  }
  Place TransposeAsReshape() {
    Node* node = PickNode(
        [&](const Node& n) { return n.op_type == "Transpose" && Known(n.outputs[0]) != nullptr; });
    if (node == nullptr) return std::nullopt;
    const Shape shape = ShapeOf(node->outputs[0]);
    node->op_type = "Reshape";
    node->attributes.clear();
    node->inputs.push_back(AddInitializer(Tensor::Of<int64_t>(
        {static_cast<int64_t>(shape.size())}, std::vector<int64_t>(shape.begin(), shape.end()))));
    return node->outputs[0];
  }
  Place Perm() {
    Node* node = PickOperator({"Transpose"});
    if (node == nullptr || !node->attributes.contains("perm")) return std::nullopt;
    auto& perm = std::get<std::vector<int64_t>>(node->attributes["perm"]);
    if (perm.size() < 2) return std::nullopt;
    const size_t i = Below(perm.size());
    const size_t j = (i + 1 + Below(perm.size() - 1)) % perm.size();
    std::swap(perm[i], perm[j]);
    return node->outputs[0];
  }
  Place Wiring() {
    const size_t at = Below(graph_.nodes.size());
    Node& node = graph_.nodes[at];
    if (node.inputs.empty()) return std::nullopt;
    std::string& input = node.inputs[Below(node.inputs.size())];
    const Tensor* wanted = Known(input);
    if (wanted == nullptr || FindInitializer(input) != nullptr) return std::nullopt;
    std::vector<std::string> others;
    for (size_t i = 0; i < at; ++i) {
      for (const std::string& output : graph_.nodes[i].outputs) {
        const Tensor* tensor = Known(output);
        if (tensor != nullptr && output != input && tensor->dtype() == wanted->dtype() &&
            tensor->shape() == wanted->shape() && tensor->num_elements() > 1) {
          others.push_back(output);
        }
      }
    }
    if (others.empty()) return std::nullopt;
    input = Pick(others);
    return node.outputs[0];
  }
  Place BroadcastAxis() {
    Node* node = PickNode([&](const Node& n) {
      return (n.op_type == "Add" || n.op_type == "Mul") && IsFloat(n.outputs[0]) &&
             (ShapeOf(n.inputs[1]).size() == 1 || ShapeOf(n.inputs[0]).size() == 1) &&
             ShapeOf(n.outputs[0]).size() >= 2;
    });
    if (node == nullptr) return std::nullopt;
    const size_t i = ShapeOf(node->inputs[1]).size() == 1 ? 1 : 0;
    const Shape shape = ShapeOf(node->outputs[0]);
    const int64_t size = ShapeOf(node->inputs[i])[0];
    if (shape[shape.size() - 2] != size) return std::nullopt;
    const std::optional<Constant> vector = ConstantNamed(node->inputs[i]);
    if (!vector.has_value()) return std::nullopt;
    node->inputs[i] = AddInitializer(vector->tensor.Contiguous()->Reshaped({size, 1}));
    return node->outputs[0];
  }
  Place Quantization() {
    Node* node = PickNode([](const Node& n) {
      return (n.op_type == "QuantizeLinear" || n.op_type == "DequantizeLinear" ||
              n.op_type.starts_with("QLinear")) &&
             n.inputs.size() >= 3;
    });
    if (node == nullptr) return std::nullopt;
    const std::optional<Constant> scale = ConstantNamed(node->inputs[1]);
    if (!scale.has_value() || scale->tensor.dtype() != DType::kFloat) return std::nullopt;
    std::vector<double> elements = ElementsOf<double>(scale->tensor);
    for (double& v : elements) v *= 1.25;
    node->inputs[1] = AddInitializer(Made(scale->tensor, elements));
    return node->inputs[1];
  }
  Place Exchanged() {
    Node* node = PickNode([&](const Node& n) {
      return (n.op_type == "Sub" || n.op_type == "Div" || n.op_type == "Pow" ||
              n.op_type == "MatMul" || n.op_type == "Where") &&
             IsFloat(n.outputs[0]);
    });
    if (node == nullptr) return std::nullopt;
    const size_t first = node->op_type == "Where" ? 1 : 0;
    std::swap(node->inputs[first], node->inputs[first + 1]);
    return node->outputs[0];
  }
  Place GatherIndex() {
    Node* node = PickOperator({"Gather"});
    if (node == nullptr) return std::nullopt;
    const std::optional<Constant> indices = ConstantNamed(node->inputs[1]);
    if (!indices.has_value() || !IsInteger(indices->tensor.dtype())) return std::nullopt;
    std::vector<int64_t> elements = ElementsOf<int64_t>(indices->tensor);
    if (elements.empty()) return std::nullopt;
    elements[Below(elements.size())] += 1;
    indices->set(Made(indices->tensor, elements));
    return indices->name;
  }
  Place Pads() {
    std::vector<std::pair<Node*, std::string>> found;
    for (Node& node : graph_.nodes) {
      for (const char* name : {"pads", "dilations", "strides"}) {
        if (node.attributes.contains(name)) found.emplace_back(&node, name);
      }
    }
    if (found.empty()) return std::nullopt;
    const auto [node, name] = Pick(found);
    auto& items = std::get<std::vector<int64_t>>(node->attributes[name]);
    if (items.size() == 4) {
      items[0] += 1;
      items[2] -= 1;
    } else if (!items.empty()) {
      items[0] += 1;
    }
    return node->outputs[0];
  }
  Place GeluForm() {
    Node* node = PickNode([](const Node& n) { return n.op_type == "Gelu" || n.op_type == "Erf"; });
    if (node == nullptr) return std::nullopt;
    if (node->op_type == "Gelu" && node->domain.empty()) {
      node->attributes["approximate"] = std::string("tanh");
      return node->outputs[0];
    }
    if (node->op_type != "Erf") return std::nullopt;
    // erf(x) as the tanh form of Gelu has it: tanh(1.12838 x + 0.1009 x^3).
    const std::string output = node->outputs[0];
    const std::string input = node->inputs[0];
    insert_ = static_cast<size_t>(node - graph_.nodes.data());
    graph_.nodes.erase(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(insert_));
    const std::string a = AddInitializer(Tensor::Scalar<float>(1.1283792F));
    const std::string b = AddInitializer(Tensor::Scalar<float>(0.10090766F));
    Insert("Mul", {input, input}, output + "_square");
    Insert("Mul", {output + "_square", b}, output + "_part");
    Insert("Add", {output + "_part", a}, output + "_factor");
    Insert("Mul", {output + "_factor", input}, output + "_argument");
    Insert("Tanh", {output + "_argument"}, output);
    return output;
  }
  Place Truncated() {
    const std::vector<std::string> names = FloatResults();
    if (names.empty()) return std::nullopt;
    return Behind(Pick(names), [&](const std::string& from, const std::string& to) {
      Insert("Cast", {from}, from + "_whole", {{"to", int64_t{6}}});
      Insert("Cast", {from + "_whole"}, to, {{"to", int64_t{1}}});
    });
  }
};

const std::map<std::string, Injector::Kind>& Injector::Kinds() {
  static const auto* const kKinds = new std::map<std::string, Kind>({
      {"alpha", [](Injector& i) {
         return i.FloatAttribute(
             [](const std::string& name) { return name == "alpha" || name == "beta"; }, 1.1);
       }},
      {"axis", [](Injector& i) { return i.Axis(); }},
      {"broadcast_axis", [](Injector& i) { return i.BroadcastAxis(); }},
      {"concat_order", [](Injector& i) { return i.ConcatOrder(); }},
      {"constant", [](Injector& i) { return i.SmallConstant(); }},
      {"epsilon", [](Injector& i) {
         return i.FloatAttribute([](const std::string& name) { return name == "epsilon"; }, 1000);
       }},
      {"exchanged_inputs", [](Injector& i) { return i.Exchanged(); }},
      {"float16_detour", [](Injector& i) { return i.Float16Detour(); }},
      {"gate_order", [](Injector& i) { return i.GateOrder(); }},
      {"gather_index", [](Injector& i) { return i.GatherIndex(); }},
      {"gelu_form", [](Injector& i) { return i.GeluForm(); }},
      {"left_out", [](Injector& i) { return i.LeftOut(); }},
      {"lost_bias", [](Injector& i) { return i.LostBias(); }},
      {"lost_mask", [](Injector& i) { return i.LostMask(); }},
      {"lost_residual", [](Injector& i) { return i.LostResidual(); }},
      {"negated", [](Injector& i) { return i.Negated(); }},
      {"operator", [](Injector& i) { return i.Operator(); }},
      {"pads", [](Injector& i) { return i.Pads(); }},
      {"perm", [](Injector& i) { return i.Perm(); }},
      {"quantization", [](Injector& i) { return i.Quantization(); }},
      {"reduced_axes", [](Injector& i) { return i.ReducedAxes(); }},
      {"scalar_with_axis", [](Injector& i) { return i.ScalarWithAxis(); }},
      {"scaled", [](Injector& i) { return i.Scaled(1.01F); }},
      {"slice_bounds", [](Injector& i) { return i.SliceBounds(); }},
      {"softmax_axis", [](Injector& i) {
         return i.IntAttribute({"Softmax", "LogSoftmax"}, "axis",
                               [](int64_t axis) { return axis == -1 ? int64_t{-2} : axis - 1; },
                               -1);
       }},
      {"trans_flags", [](Injector& i) {
         return i.IntAttribute({"Gemm", "FusedMatMul"}, "transB",
                               [](int64_t flag) { return 1 - flag; }, 0);
       }},
      {"transpose_as_reshape", [](Injector& i) { return i.TransposeAsReshape(); }},
      {"truncated", [](Injector& i) { return i.Truncated(); }},
      {"twice", [](Injector& i) { return i.Twice(); }},
      {"weight_few", [](Injector& i) { return i.WeightFew(); }},
      {"weight_layout", [](Injector& i) { return i.WeightLayout(); }},
      {"weight_one", [](Injector& i) { return i.WeightOne(1.03); }},
      {"weight_one_little", [](Injector& i) { return i.WeightOne(1.001); }},
      {"weight_one_tenfold", [](Injector& i) { return i.WeightOne(10); }},
      {"weight_rolled", [](Injector& i) { return i.WeightRolled(); }},
      {"weight_row", [](Injector& i) { return i.WeightRow(); }},
      {"wiring", [](Injector& i) { return i.Wiring(); }},
  });
  return *kKinds;
}

}  // namespace

std::vector<std::string> FaultKinds() {
  std::vector<std::string> kinds;
  for (const auto& [name, kind] : Injector::Kinds()) kinds.push_back(name);
  return kinds;
}

std::optional<Fault> InjectFault(const std::string& kind, uint64_t seed, const KnownValues& values,
                                 Model* model) {
  std::optional<std::string> place = Injector(seed, values, model).Inject(kind);
  if (!place.has_value()) return std::nullopt;
  return Fault{kind, *std::move(place)};
}

}  // namespace onnxcmp::testing
