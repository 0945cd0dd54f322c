#include "tools/fix/weight_sites.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

using NumberList = std::vector<double>;

// Integers that are this near to a constant were made of it.
constexpr double kSurelyOf = 0.95;
constexpr double kMaybeOf = 0.5;
constexpr size_t kSampled = 4096;  // elements that are enough to tell constants apart
constexpr int kNodesAround = 4;    // between a layer and a result that both sides have

constexpr WeightSlots kWeights[] = {
    {"DequantizeLinear", 0, 1, 2, -1, -1},      {"QLinearConv", 3, 4, 5, 8, 1},
    {"QLinearMatMul", 3, 4, 5, -1, -1},         {"QGemm", 3, 4, 5, 6, 1},
    {"DynamicQuantizeMatMul", 1, 2, 3, -1, -1}, {"MatMulIntegerToFloat", 1, 3, 5, -1, -1},
    {"MatMulInteger", 1, -1, 3, -1, -1},        {"ConvInteger", 1, -1, 3, -1, -1},
};

double CosineOf(absl::Span<const double> a, absl::Span<const double> b) {
  const size_t step = std::max<size_t>(1, a.size() / kSampled);
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); i += step) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa == 0 || bb == 0 ? 0 : ab / std::sqrt(aa * bb);
}

}  // namespace

absl::Span<const WeightSlots> KnownWeightSlots() { return kWeights; }

std::string InputOf(const Node& node, int slot) {
  return slot < 0 || static_cast<size_t>(slot) >= node.inputs.size()
             ? ""
             : node.inputs[static_cast<size_t>(slot)];
}

std::string FirstResultOf(const Node& node) { return node.outputs.empty() ? "" : node.outputs[0]; }

int64_t InnerOf(const Shape& shape, int64_t axis) {
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  return inner;
}

int64_t ChannelAxis(const Node& node, int64_t rank) {
  int64_t axis = rank - 1;
  if (node.op_type == "DequantizeLinear") axis = IntAttribute(node, "axis").value_or(1);
  if (node.op_type == "QLinearConv" || node.op_type == "ConvInteger" || node.op_type == "Conv") {
    axis = 0;
  }
  if (node.op_type == "QGemm" || node.op_type == "Gemm") {
    axis = IntAttribute(node, "transB").value_or(0) != 0 ? 0 : 1;
  }
  return axis < 0 ? axis + rank : axis;
}

std::optional<std::vector<double>> NumbersOfTensor(const Tensor& tensor) {
  if (!IsFloatingPoint(tensor.dtype()) && !IsInteger(tensor.dtype())) return std::nullopt;
  return ElementsOf(tensor);
}

std::optional<std::vector<double>> WeightSites::NumbersOf(const std::string& name) const {
  const Tensor* tensor = right_.ConstantOf(name);
  return tensor == nullptr ? std::nullopt : NumbersOfTensor(*tensor);
}

// Sums of integer products are scaled by a Mul behind them: by a constant, or by the product of
// one with the scale of the input.
void WeightSites::FindScaleBehind(const Node& node, WeightSite* site) const {
  const Node* at = &node;
  for (int i = 0; i < kNodesAround; ++i) {
    const auto readers = right_.readers.find(FirstResultOf(*at));
    if (readers == right_.readers.end() || readers->second.size() != 1) return;
    at = readers->second[0];
    if (at->op_type != "Mul") continue;
    for (const std::string& input : at->inputs) {
      const Node* maker = right_.MakerOf(input);
      if (right_.ConstantOf(input) != nullptr) maker = at;
      if (maker == nullptr || maker->op_type != "Mul") continue;
      for (size_t slot = 0; slot < maker->inputs.size(); ++slot) {
        if (right_.ConstantOf(maker->inputs[slot]) == nullptr) continue;
        site->scale_node = maker;
        site->scale_slot = static_cast<int>(slot);
        site->scale = maker->inputs[slot];
        return;
      }
    }
  }
}

std::optional<WeightSite> WeightSites::SiteOf(const Node& node, const WeightSlots& slots) const {
  WeightSite site;
  site.node = site.scale_node = &node;
  site.slots = slots;
  site.integers = InputOf(node, slots.integers);
  site.zero = InputOf(node, slots.zero);
  site.scale = InputOf(node, slots.scale);
  site.scale_slot = slots.scale;
  site.tensor = right_.ConstantOf(site.integers);
  if (site.tensor == nullptr || !IsInteger(site.tensor->dtype())) return std::nullopt;
  if (slots.scale < 0) FindScaleBehind(node, &site);
  std::optional<NumberList> scales = NumbersOf(site.scale);
  NumberList zeros;
  if (!site.zero.empty()) {
    std::optional<NumberList> given = NumbersOf(site.zero);
    if (!given.has_value()) return std::nullopt;
    zeros = *std::move(given);
  }
  const Shape& shape = site.tensor->shape();
  if (!scales.has_value() || scales->empty()) return std::nullopt;
  int64_t inner = std::max<int64_t>(1, site.tensor->num_elements());
  if (scales->size() > 1) {
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = ChannelAxis(node, rank);
    // Scales of blocks are another format.
    if (axis < 0 || axis >= rank || node.inputs.empty() ||
        shape[static_cast<size_t>(axis)] != static_cast<int64_t>(scales->size())) {
      return std::nullopt;
    }
    inner = InnerOf(shape, axis);
  }
  if (zeros.size() > 1 && zeros.size() != scales->size()) return std::nullopt;
  site.grid = GridOf(site.tensor->dtype(), *std::move(scales), std::move(zeros), inner);
  return site;
}

// Left constants of as many elements, near the node that a layer's result is paired with.
std::vector<std::string> WeightSites::ConstantsNear(const Node& node, int64_t count) const {
  std::vector<std::string> names;
  const Node* at = &node;
  std::string left = pairs_.LeftOf(FirstResultOf(node));
  for (int i = 0; i < kNodesAround && left.empty(); ++i) {
    const auto readers = right_.readers.find(FirstResultOf(*at));
    if (readers == right_.readers.end() || readers->second.empty()) break;
    at = readers->second[0];
    left = pairs_.LeftOf(FirstResultOf(*at));
  }
  for (int i = 0; i < kNodesAround && !left.empty(); ++i) {
    if (IsOf(left, count)) names.push_back(left);
    const Node* maker = left_.MakerOf(left);
    if (maker == nullptr) break;
    for (const std::string& input : maker->inputs) {
      if (IsOf(input, count)) names.push_back(input);
    }
    if (!names.empty()) break;
    left = maker->inputs.empty() ? "" : maker->inputs[0];
  }
  return names;
}

bool WeightSites::IsOf(const std::string& left, int64_t count) const {
  const Tensor* constant = left_.ConstantOf(left);
  return constant != nullptr && IsFloatingPoint(constant->dtype()) &&
         constant->num_elements() == count;
}

// The numbers of a left constant in a layout: as they are, then with both axes exchanged.
std::vector<NumberList> WeightSites::FormsIn(const Shape& shape, const std::string& left) const {
  std::vector<NumberList> forms;
  const Tensor& constant = *left_.ConstantOf(left);
  const std::optional<NumberList> numbers = NumbersOfTensor(constant);
  if (!numbers.has_value()) return forms;
  const bool matrices = shape.size() == 2 && constant.shape().size() == 2;
  if (!matrices || constant.shape() == shape) forms.push_back(*numbers);
  if (matrices && constant.shape()[0] == shape[1] && constant.shape()[1] == shape[0]) {
    NumberList& exchanged = forms.emplace_back(numbers->size());
    const auto rows = static_cast<size_t>(shape[0]), columns = static_cast<size_t>(shape[1]);
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        exchanged[r * columns + c] = (*numbers)[c * rows + r];
      }
    }
  }
  return forms;
}

FloatsOfIntegers WeightSites::FloatsOf(absl::Span<const double> integers, const Shape& shape,
                                       const IntegerGrid& grid, const Node& node) const {
  FloatsOfIntegers floats;
  const auto count = static_cast<int64_t>(integers.size());
  if (count < 2) return floats;
  NumberList steps(integers.begin(), integers.end());
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i] -= grid.ZeroOf(i);
    if (grid.scales.size() > 1) steps[i] *= grid.ScaleOf(i);
  }
  double best = 0;
  const auto look = [&](const std::string& name) {
    std::vector<NumberList> made = FormsIn(shape, name);
    double nearest = 0;
    for (const NumberList& form : made) nearest = std::max(nearest, CosineOf(steps, form));
    if (made.empty() || nearest <= best) return;
    best = nearest;
    floats = {name, std::move(made)};
  };
  const auto look_at = [&](const std::string& name) {
    if (IsOf(name, count)) look(name);
  };
  for (const Initializer& constant : left_.model.graph.initializers) look_at(constant.name);
  for (const Node& made : left_.model.graph.nodes) look_at(FirstResultOf(made));
  if (best >= kSurelyOf) return floats;
  const std::vector<std::string> near = ConstantsNear(node, count);
  if (near.empty()) return best >= kMaybeOf ? floats : FloatsOfIntegers();
  best = -1;
  for (const std::string& name : near) look(name);
  return floats;
}

}  // namespace onnxcmp
