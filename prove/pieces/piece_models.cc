#include "prove/pieces/piece_models.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/convert.h"
#include "prove/field_node.h"
#include "prove/node_kinds.h"
#include "prove/pieces/free_axes.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

using Axes = FreeAxes::Axes;

absl::Status NoPiece(absl::string_view why) { return absl::UnimplementedError(why); }

// Numbers of both signs.
absl::StatusOr<Value> SomeNumbers(DType dtype, const Shape& shape, uint64_t key) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  std::vector<double> numbers(static_cast<size_t>(tensor.num_elements()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<double>(MixNumbers(key, i) >> 32) * 0x1p-30 - 2;
  }
  StoreElements(dtype, numbers.data(), tensor.num_elements(), tensor.mutable_raw_data(), 0);
  return tensor;
}

// The first elements of a tensor, in another shape that has no more.
absl::StatusOr<Value> FirstOf(const Tensor& tensor, const Shape& shape) {
  OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(nullptr));
  OC_ASSIGN_OR_RETURN(const Tensor whole, in_memory.Contiguous());
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return whole.Strided(shape, strides, whole.offset()).Contiguous();
}

// A convolution reads windows of an image. Where the image is unknown, so is each of its windows:
// an image of windows side by side stands for it.
struct WindowForm {
  std::string attributes;  // of the windows
  std::vector<int64_t> kernel;
  friend auto operator<=>(const WindowForm&, const WindowForm&) = default;
};

std::vector<int64_t> IntsOf(const Node& node, const std::string& name) {
  const auto* const ints = AttributeOf<std::vector<int64_t>>(node, name);
  return ints == nullptr ? std::vector<int64_t>() : *ints;
}

class Cutter {
 public:
  Cutter(const PerSide<Side*>& sides, const SharedValues& values) : sides_(sides), values_(values) {
    size_t longest = 0;
    for (const SideId side : kBothSides) {
      const Graph& graph = values.graph(side);
      for (const Initializer& initializer : graph.initializers) {
        initializers_[side][initializer.name] = &initializer;
        longest = std::max(longest, initializer.name.size());
      }
      for (const ValueInfo& input : graph.inputs) longest = std::max(longest, input.name.size());
      for (const Node& node : graph.nodes) {
        for (const std::string& name : node.outputs) longest = std::max(longest, name.size());
      }
    }
    // No value of either side has such a name.
    prefix_ = std::string(longest + 1, '_');
  }

  absl::StatusOr<PerSide<PieceModel>> Cut() {
    for (const auto& [left, right] : values_.claims()) {
      OC_RETURN_IF_ERROR(Need(SideId::kLeft, left));
      OC_RETURN_IF_ERROR(Need(SideId::kRight, right));
    }
    for (const SideId side : kBothSides) {
      for (const int n : nodes_[side]) OC_RETURN_IF_ERROR(Join(side, NodeOf(side, n)));
    }
    for (const auto& [left, right] : values_.claims()) {
      const Axes& a = made_.left.at(left);
      const Axes& b = made_.right.at(right);
      for (size_t i = 0; i < a.size(); ++i) axes_.Join(a[i], b[i]);
    }
    PerSide<PieceModel> models;
    for (const SideId side : kBothSides) {
      OC_ASSIGN_OR_RETURN(models[side], ModelOf(side));
    }
    return models;
  }

 private:
  struct Unknown {
    Axes axes;
    DType dtype = DType::kUndefined;
    std::vector<int64_t> kernel;    // of windows side by side in the last axes; none: no image
    const Tensor* given = nullptr;  // the numbers that were fed
  };

  const Node& NodeOf(SideId side, int n) const { return values_.graph(side).nodes[Index(n)]; }

  // True for what a piece does not compute but takes as it comes.
  absl::StatusOr<bool> IsUnknown(SideId side, const std::string& name) const {
    const SharedValue& value = values_.Of(side, name);
    const bool leaf = value.node == kNone;
    if (!values_.IsShared(value)) {
      if (leaf && !value.fixed) return NoPiece("an input of one side");
      return false;
    }
    if (leaf && !value.fixed) return true;
    const DType dtype = value.seen->dtype;
    const bool real = dtype == DType::kFloat || dtype == DType::kDouble ||
                      dtype == DType::kFloat16 || dtype == DType::kBfloat16;
    const Fingerprint& fingerprint = value.seen->fingerprint;
    if (!real || !fingerprint.finite) return false;
    if (!value.fixed) {
      // Elements that both sides move alike are still those of what they were.
      return leaf || values_.IsClaimed(value) || !MovesElements(NodeOf(side, value.node));
    }
    // One number, of which rules may ask.
    if (fingerprint.size <= 1 || values_.IsMoved(value)) return false;
    if (fingerprint.rich) return true;
    if (!leaf) return false;
    OC_ASSIGN_OR_RETURN(const bool one, IsOneNumber(side, name));
    return !one;
  }

  // True for an initializer with the same number everywhere.
  absl::StatusOr<bool> IsOneNumber(SideId side, const std::string& name) const {
    const auto found = initializers_[side].find(values_.Of(side, name).name);
    if (found == initializers_[side].end() || !found->second->value.is_tensor()) {
      return NoPiece("a constant that is no tensor");
    }
    const Tensor& tensor = found->second->value.tensor();
    if (values_.Of(side, name).seen->fingerprint.rich || tensor.dtype() == DType::kString ||
        IsComplex(tensor.dtype())) {
      return false;
    }
    OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(nullptr));
    OC_ASSIGN_OR_RETURN(const Tensor whole, in_memory.Contiguous());
    return OneNumber(whole).has_value();
  }

  // The inputs that a piece has: the shapes that elements are put into are made anew.
  static size_t InputsOf(const Node& node) {
    return IsReshape(node) ? std::min<size_t>(1, node.inputs.size()) : node.inputs.size();
  }

  // Takes the node that makes a value, and those before it.
  absl::Status Need(SideId side, const std::string& name) {
    std::vector<int> open;
    const auto take = [&](const std::string& value) {
      const int node = values_.Of(side, value).node;
      if (node != kNone && nodes_[side].insert(node).second) open.push_back(node);
    };
    if (values_.Of(side, name).node == kNone) return NoPiece("a claim of an input");
    take(name);
    while (!open.empty()) {
      const Node& node = NodeOf(side, open.back());
      open.pop_back();
      for (size_t i = 0; i < InputsOf(node); ++i) {
        if (node.inputs[i].empty()) continue;
        OC_ASSIGN_OR_RETURN(const bool unknown, IsUnknown(side, node.inputs[i]));
        if (!unknown) take(node.inputs[i]);
      }
    }
    return absl::OkStatus();
  }

  // The axes of a value as a node reads it.
  absl::StatusOr<Axes> AxesOf(SideId side, const std::string& name) {
    const SharedValue& value = values_.Of(side, name);
    const Shape& shape = *value.seen->shape;
    OC_ASSIGN_OR_RETURN(const bool is_unknown, IsUnknown(side, name));
    if (is_unknown) {
      const auto [unknown, is_new] = unknown_.try_emplace({value.number, WindowForm()});
      if (is_new) {
        unknown->second = {axes_.Add(shape), value.seen->dtype, {}, GivenOf(side, name)};
      }
      return unknown->second.axes;
    }
    const auto [made, is_new] = made_[side].try_emplace(value.name);
    if (!is_new) return made->second;
    made->second = axes_.Add(shape);
    if (value.node == kNone) {
      OC_ASSIGN_OR_RETURN(const bool one, IsOneNumber(side, name));
      // Other numbers at other places, or a constant into which layers were folded.
      if (!one || !values_.IsShared(value)) axes_.Fix(made->second);
    }
    return made->second;
  }

  // The numbers of an input or of a default; null for results.
  const Tensor* GivenOf(SideId side, const std::string& name) const {
    const Feeds& feeds = *sides_[side]->feeds();
    const std::string& source = values_.Of(side, name).name;
    const auto fed = feeds.find(source);
    if (fed != feeds.end()) return &fed->second.tensor();
    const auto constant = initializers_[side].find(source);
    return constant == initializers_[side].end() ? nullptr : &constant->second->value.tensor();
  }

  // The windows that a convolution reads of an unknown image; nothing for other nodes.
  absl::StatusOr<std::optional<WindowForm>> WindowsOf(SideId side, const Node& node) const {
    const bool conv = (node.domain == kOnnxDomain && node.op_type == "Conv") ||
                      (node.domain == kMicrosoftDomain && node.op_type == "FusedConv");
    if (!conv) return std::nullopt;
    OC_ASSIGN_OR_RETURN(const bool unknown, IsUnknown(side, node.inputs[0]));
    const SharedValue& image = values_.Of(side, node.inputs[0]);
    const Shape& weights = *values_.Of(side, node.inputs[1]).seen->shape;
    if (!unknown || image.seen->dtype != DType::kFloat || weights.size() < 3) return std::nullopt;
    WindowForm form;
    form.kernel.assign(weights.begin() + 2, weights.end());
    for (const char* name : {"auto_pad", "dilations", "pads", "strides"}) {
      const auto* const text = AttributeOf<std::string>(node, name);
      const std::vector<int64_t> ints = IntsOf(node, name);
      // Strides and dilations of 1, and no padding, may be left out.
      const int64_t usual = name == std::string("pads") ? 0 : 1;
      const bool plain =
          std::all_of(ints.begin(), ints.end(), [&](int64_t number) { return number == usual; });
      if (text != nullptr && *text != "NOTSET" && !text->empty()) {
        absl::StrAppend(&form.attributes, name, *text, ";");
      }
      if (plain) continue;
      absl::StrAppend(&form.attributes, name);
      for (const int64_t number : ints) absl::StrAppend(&form.attributes, " ", number);
    }
    return form;
  }

  // The axes of unknown windows: images, channels, and a place for each window.
  Axes AxesOfWindows(const SharedValue& image, const WindowForm& form, const Shape& output) {
    const auto [unknown, is_new] = unknown_.try_emplace({image.number, form});
    if (is_new) {
      Shape places = output;
      places[1] = (*image.seen->shape)[1];
      unknown->second = {axes_.Add(places), image.seen->dtype, form.kernel, nullptr};
    }
    return unknown->second.axes;
  }

  absl::StatusOr<bool> JoinConvolution(SideId side, const Node& node, NodeAxes& made) {
    OC_ASSIGN_OR_RETURN(const std::optional<WindowForm> form, WindowsOf(side, node));
    if (!form.has_value()) return false;
    const Axes& out = *made.outputs[0];
    const SharedValue& output = values_.Of(side, node.outputs[0]);
    const Axes windows =
        AxesOfWindows(values_.Of(side, node.inputs[0]), *form, *output.seen->shape);
    const Axes& weights = *made.inputs[1];
    for (size_t i = 0; i < out.size(); ++i) {
      if (i == 1) continue;
      axes_.Join(windows[i], out[i]);
      // Weights are large: they are multiplied with one window.
      axes_.TakeOne(out[i]);
    }
    // Sums over channels and places of a window; groups tell filters apart.
    axes_.Fix(windows[1]);
    for (size_t i = 1; i < weights.size(); ++i) axes_.Fix(weights[i]);
    axes_.Join(weights[0], out[1]);
    if (weights.size() < 2 || axes_.size(weights[1]) != axes_.size(windows[1])) {
      axes_.Fix(weights[0]);
    }
    if (made.inputs.size() > 2 && made.inputs[2].has_value()) {
      axes_.Join(made.inputs[2]->front(), out[1]);
    }
    if (made.inputs.size() > 3 && made.inputs[3].has_value()) {
      for (size_t i = 0; i < out.size(); ++i) axes_.Join((*made.inputs[3])[i], out[i]);
    }
    return true;
  }

  absl::Status Join(SideId side, const Node& node) {
    const auto integers = [&](size_t input) -> std::optional<std::vector<int64_t>> {
      return IntegersOf(side, node.inputs[input]);
    };
    NodeAxes made = {node, {}, {}, integers, &axes_};
    OC_ASSIGN_OR_RETURN(const std::optional<WindowForm> form, WindowsOf(side, node));
    for (size_t i = 0; i < InputsOf(node); ++i) {
      made.inputs.emplace_back();
      // Windows stand for the image.
      if (node.inputs[i].empty() || (i == 0 && form.has_value())) continue;
      OC_ASSIGN_OR_RETURN(made.inputs.back(), AxesOf(side, node.inputs[i]));
    }
    for (const std::string& name : node.outputs) {
      made.outputs.emplace_back();
      if (name.empty()) continue;
      const auto [own, is_new] = made_[side].try_emplace(name);
      if (is_new) own->second = axes_.Add(*values_.Of(side, name).seen->shape);
      made.outputs.back() = own->second;
    }
    OC_ASSIGN_OR_RETURN(const bool joined, JoinConvolution(side, node, made));
    if (!joined) JoinAxes(made);
    return absl::OkStatus();
  }

  // The whole numbers of a constant.
  std::optional<std::vector<int64_t>> IntegersOf(SideId side, const std::string& name) const {
    const Tensor* tensor = nullptr;
    const SharedValue& value = values_.Of(side, name);
    if (!value.fixed) return std::nullopt;
    if (value.node == kNone) {
      tensor = GivenOf(side, name);
    } else if (const Node& node = NodeOf(side, value.node); node.op_type == "Constant") {
      if (node.attributes.contains("value_ints")) return IntsOf(node, "value_ints");
      tensor = AttributeOf<Tensor>(node, "value");
    }
    if (tensor == nullptr || tensor->dtype() != DType::kInt64) return std::nullopt;
    const absl::StatusOr<Tensor> in_memory = tensor->InMemory(nullptr);
    if (!in_memory.ok()) return std::nullopt;
    const absl::StatusOr<Tensor> whole = in_memory->Contiguous();
    if (!whole.ok()) return std::nullopt;
    const auto numbers = whole->AsSpan<int64_t>();
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  }

  // A model under way.
  struct Making {
    SideId side;
    Model model;
    std::map<std::string, Value> inputs;
    std::set<std::string> constants;
  };

  absl::StatusOr<PieceModel> ModelOf(SideId side) {
    const Model& own = sides_[side]->evaluator()->model();
    Making making = {side, {}, {}, {}};
    making.model.ir_version = own.ir_version;
    making.model.imports = own.imports;
    for (const int n : nodes_[side]) {
      OC_ASSIGN_OR_RETURN(Node node, Rewritten(NodeOf(side, n), &making));
      making.model.graph.nodes.push_back(std::move(node));
    }
    std::set<std::string> outputs;
    for (const auto& [left, right] : values_.claims()) {
      const std::string& name = side == SideId::kLeft ? left : right;
      if (outputs.insert(name).second) making.model.graph.outputs.push_back({name, {}});
    }
    return PieceModel{std::make_shared<const Model>(std::move(making.model)),
                      std::move(making.inputs)};
  }

  // The node as it is in the model.
  absl::StatusOr<Node> Rewritten(const Node& node, Making* making) {
    const SideId side = making->side;
    Node made = node;
    OC_ASSIGN_OR_RETURN(const std::optional<WindowForm> form, WindowsOf(side, node));
    for (size_t i = 0; i < InputsOf(node); ++i) {
      if (node.inputs[i].empty()) continue;
      if (i == 0 && form.has_value()) {
        const std::pair key(values_.Of(side, node.inputs[0]).number, *form);
        OC_ASSIGN_OR_RETURN(made.inputs[0], NameOfUnknown(key, making));
        continue;
      }
      OC_ASSIGN_OR_RETURN(made.inputs[i], NameOf(node.inputs[i], making));
    }
    if (form.has_value()) {
      for (const char* name : {"auto_pad", "dilations", "pads"}) made.attributes.erase(name);
      made.attributes["strides"] = form->kernel;
      made.attributes["kernel_shape"] = form->kernel;
      return made;
    }
    if (!IsReshape(node)) return made;
    const Shape shape = axes_.EnoughOf(made_[side].at(node.outputs[0]));
    return ReshapedTo(shape, std::move(made), making);
  }

  // A reshape to these sizes.
  absl::StatusOr<Node> ReshapedTo(const Shape& shape, Node node, Making* making) {
    const OpsetImports& imports = node.imports != nullptr ? *node.imports : making->model.imports;
    const auto import = imports.find(kOnnxDomain);
    if (import == imports.end() || import->second < 5) return NoPiece("a Reshape by an attribute");
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return NoPiece("no elements");
    Node made;
    made.name = node.name;
    made.op_type = "Reshape";
    made.imports = node.imports;
    made.outputs = {node.outputs[0]};
    const std::string sizes =
        absl::StrCat(prefix_, "shape ", making->model.graph.initializers.size());
    made.inputs = {node.inputs[0], sizes};
    making->model.graph.initializers.push_back(
        {sizes, Tensor::Of<int64_t>({static_cast<int64_t>(shape.size())},
                                    std::vector<int64_t>(shape.begin(), shape.end()))});
    return made;
  }

  // The name of a value in the model, which has it from then on.
  absl::StatusOr<std::string> NameOf(const std::string& name, Making* making) {
    const SharedValue& value = values_.Of(making->side, name);
    OC_ASSIGN_OR_RETURN(const bool is_unknown, IsUnknown(making->side, name));
    if (is_unknown) return NameOfUnknown({value.number, WindowForm()}, making);
    const std::string& source = value.name;
    if (value.node != kNone || !making->constants.insert(source).second) return source;
    Value constant = initializers_[making->side].at(source)->value;
    const Shape shape = axes_.EnoughOf(made_[making->side].at(source));
    if (shape != *value.seen->shape) {
      OC_ASSIGN_OR_RETURN(constant, FirstOf(constant.tensor(), shape));
    }
    making->model.graph.initializers.push_back({source, std::move(constant)});
    return source;
  }

  absl::StatusOr<std::string> NameOfUnknown(const std::pair<int, WindowForm>& key, Making* making) {
    const auto found = unknown_.find(key);
    if (found == unknown_.end()) return absl::InternalError("an unknown value without axes");
    const Unknown& unknown = found->second;
    std::string name = absl::StrCat(prefix_, std::distance(unknown_.begin(), found));
    if (making->inputs.contains(name)) return name;
    Shape shape = axes_.EnoughOf(unknown.axes);
    for (size_t i = 0; i < unknown.kernel.size(); ++i) {
      shape[shape.size() - unknown.kernel.size() + i] *= unknown.kernel[i];
    }
    const uint64_t number = static_cast<uint64_t>(std::distance(unknown_.begin(), found));
    Value& value = making->inputs[name];
    if (unknown.given != nullptr) {
      OC_ASSIGN_OR_RETURN(value, FirstOf(*unknown.given, shape));
    } else {
      OC_ASSIGN_OR_RETURN(value, SomeNumbers(unknown.dtype, shape, number));
    }
    ValueInfo info;
    info.name = name;
    info.type.kind = TypeInfo::Kind::kTensor;
    info.type.dtype = unknown.dtype;
    info.type.shape.emplace();
    for (const int64_t size : shape) info.type.shape->push_back({size, ""});
    making->model.graph.inputs.push_back(std::move(info));
    return name;
  }

  const PerSide<Side*>& sides_;
  const SharedValues& values_;
  std::string prefix_;
  PerSide<absl::flat_hash_map<std::string, const Initializer*>> initializers_;
  PerSide<std::set<int>> nodes_;  // in the order of the run
  FreeAxes axes_;
  std::map<std::pair<int, WindowForm>, Unknown> unknown_;
  PerSide<std::map<std::string, Axes>> made_;  // and constants
};

}  // namespace

absl::StatusOr<PerSide<PieceModel>> CutPieces(const PerSide<Side*>& sides,
                                              const SharedValues& values) {
  return Cutter(sides, values).Cut();
}

}  // namespace onnxcmp
