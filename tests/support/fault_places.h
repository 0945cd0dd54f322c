// Where faults are put into a model: nodes and constants that fit, changed elements, nodes put in.
#ifndef ONNXCMP_TESTS_SUPPORT_FAULT_PLACES_H_
#define ONNXCMP_TESTS_SUPPORT_FAULT_PLACES_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "tests/support/model_faults.h"

namespace onnxcmp::testing {

// The base of what injects faults.
class FaultPlaces {
 public:
  using Place = std::optional<std::string>;

  FaultPlaces(uint64_t seed, const KnownValues& values, Model* model)
      : random_(seed), values_(values), graph_(model->graph), model_(*model) {}

 protected:
  using Random = std::mt19937_64;

  size_t Below(size_t count) { return static_cast<size_t>(random_() % count); }

  template <typename Item>
  const Item& Pick(const std::vector<Item>& items) {
    return items[Below(items.size())];
  }

  const Tensor* Known(const std::string& name) const {
    const auto it = values_.find(name);
    return it != values_.end() && it->second.is_tensor() ? &it->second.tensor() : nullptr;
  }
  Shape ShapeOf(const std::string& name) const {
    const Tensor* tensor = Known(name);
    return tensor == nullptr ? Shape() : tensor->shape();
  }
  bool IsFloat(const std::string& name) const {
    const Tensor* tensor = Known(name);
    return tensor != nullptr && tensor->dtype() == DType::kFloat;
  }
  bool IsRead(const std::string& name) const {
    return absl::c_any_of(
        graph_.nodes, [&](const Node& node) { return absl::c_linear_search(node.inputs, name); });
  }
  Initializer* FindInitializer(const std::string& name) {
    for (Initializer& initializer : graph_.initializers) {
      if (initializer.name == name) return &initializer;
    }
    return nullptr;
  }

  // A node for which `fits` holds.
  Node* PickNode(const std::function<bool(const Node&)>& fits) {
    std::vector<Node*> nodes;
    for (Node& node : graph_.nodes) {
      if (fits(node)) nodes.push_back(&node);
    }
    return nodes.empty() ? nullptr : Pick(nodes);
  }
  Node* PickOperator(const std::vector<std::string>& operators) {
    return PickNode(
        [&](const Node& node) { return absl::c_linear_search(operators, node.op_type); });
  }

  // Constants: initializers that are read, and values of Constant nodes.
  struct Constant {
    std::string name;
    Tensor tensor;
    std::function<void(Tensor)> set;
  };
  std::vector<Constant> Constants(const std::function<bool(const Tensor&)>& fits) {
    std::vector<Constant> constants;
    for (Initializer& initializer : graph_.initializers) {
      if (!initializer.value.is_tensor() || !fits(initializer.value.tensor())) continue;
      if (!IsRead(initializer.name)) continue;
      constants.push_back({initializer.name, initializer.value.tensor(),
                           [&initializer](Tensor t) { initializer.value = std::move(t); }});
    }
    for (Node& node : graph_.nodes) {
      const auto value = node.attributes.find("value");
      if (node.op_type != "Constant" || value == node.attributes.end()) continue;
      if (!std::holds_alternative<Tensor>(value->second)) continue;
      const Tensor& tensor = std::get<Tensor>(value->second);
      if (!fits(tensor) || !IsRead(node.outputs[0])) continue;
      constants.push_back({node.outputs[0], tensor,
                           [&node](Tensor t) { node.attributes["value"] = std::move(t); }});
    }
    return constants;
  }
  std::vector<Constant> Weights(int64_t least) {
    return Constants([least](const Tensor& tensor) {
      return tensor.dtype() == DType::kFloat && tensor.num_elements() >= least;
    });
  }
  std::optional<Constant> ConstantNamed(const std::string& name) {
    for (Constant& constant : Constants([](const Tensor&) { return true; })) {
      if (constant.name == name) return constant;
    }
    return std::nullopt;
  }

  template <typename T>
  static std::vector<T> ElementsOf(const Tensor& tensor) {
    const Tensor contiguous = *tensor.Contiguous();
    std::vector<T> elements(static_cast<size_t>(tensor.num_elements()));
    LoadElements<T>(tensor.dtype(), contiguous.raw_data(), 0, tensor.num_elements(),
                    elements.data());
    return elements;
  }
  template <typename T>
  static Tensor Made(const Tensor& like, const std::vector<T>& elements) {
    Tensor tensor = *Tensor::Allocate(like.dtype(), like.shape());
    StoreElements<T>(like.dtype(), elements.data(), like.num_elements(), tensor.mutable_raw_data(),
                     0);
    return tensor;
  }
  Place Change(const std::vector<Constant>& constants,
               const std::function<void(std::vector<double>*)>& change) {
    if (constants.empty()) return std::nullopt;
    const Constant& constant = Pick(constants);
    std::vector<double> elements = ElementsOf<double>(constant.tensor);
    change(&elements);
    constant.set(Made(constant.tensor, elements));
    return constant.name;
  }
  // An element that is not small among the others.
  size_t Considerable(const std::vector<double>& elements) {
    double squares = 0;
    for (const double v : elements) squares += v * v;
    const double rms = std::sqrt(squares / static_cast<double>(elements.size()));
    for (int i = 0; i < 1000; ++i) {
      const size_t k = Below(elements.size());
      if (std::abs(elements[k]) >= rms / 2) return k;
    }
    return 0;
  }

  // Puts a node after a value: all who read it read what the node makes of it.
  Place Behind(const std::string& name,
               const std::function<void(const std::string& from, const std::string& to)>& add) {
    const std::string before = absl::StrCat(name, "_before");
    size_t at = 0;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (std::string& output : graph_.nodes[i].outputs) {
        if (output == name) {
          output = before;
          at = i + 1;
        }
      }
    }
    insert_ = at;
    add(before, name);
    return name;
  }
  void Insert(const std::string& op_type, const std::vector<std::string>& inputs,
              const std::string& output,
              std::map<std::string, Attribute, std::less<>> attributes = {}) {
    Node node;
    node.op_type = op_type;
    node.inputs = inputs;
    node.outputs = {output};
    node.attributes = std::move(attributes);
    node.imports = std::make_shared<const OpsetImports>(model_.imports);
    graph_.nodes.insert(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(insert_++),
                        std::move(node));
  }
  std::string AddInitializer(Tensor tensor) {
    std::string name = absl::StrCat("added_", graph_.initializers.size());
    graph_.initializers.push_back({name, Value(std::move(tensor))});
    return name;
  }
  std::vector<std::string> FloatResults() const {
    std::vector<std::string> names;
    for (const Node& node : graph_.nodes) {
      if (node.op_type == "Constant") continue;
      for (const std::string& output : node.outputs) {
        if (IsFloat(output) && IsRead(output) && Known(output)->num_elements() >= 4) {
          names.push_back(output);
        }
      }
    }
    return names;
  }

  Random random_;
  const KnownValues& values_;
  Graph& graph_;
  Model& model_;
  size_t insert_ = 0;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_FAULT_PLACES_H_
