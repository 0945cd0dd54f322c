#include "tools/fix/weight_sites.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "record/base/work_bounds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

using NumberList = std::vector<double>;

constexpr WeightSlots kWeights[] = {
    {"DequantizeLinear", 0, 1, 2, -1, -1},      {"QLinearConv", 3, 4, 5, 8, 1},
    {"QLinearMatMul", 3, 4, 5, -1, -1},         {"QGemm", 3, 4, 5, 6, 1},
    {"DynamicQuantizeMatMul", 1, 2, 3, -1, -1}, {"MatMulIntegerToFloat", 1, 3, 5, -1, -1},
    {"MatMulInteger", 1, -1, 3, -1, -1},        {"ConvInteger", 1, -1, 3, -1, -1},
};

// How far two lists go up and down together.
double CorrelationOf(absl::Span<const double> a, absl::Span<const double> b) {
  double sum_a = 0, sum_b = 0, ab = 0, aa = 0, bb = 0;
  const auto count = static_cast<double>(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i];
    sum_b += b[i];
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  const double deviations = (count * aa - sum_a * sum_a) * (count * bb - sum_b * sum_b);
  return deviations > 0 ? (count * ab - sum_a * sum_b) / std::sqrt(deviations) : 0;
}

// The place of a matrix' element, of this shape, in the matrix with its axes exchanged.
int64_t Exchanged(const Shape& shape, int64_t element) {
  return element % shape[1] * shape[0] + element / shape[1];
}

// True for matrices of which one may be the other with its axes exchanged.
bool MayBeExchanged(const Shape& a, const Shape& b) {
  return a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
}

// Elements at equal steps.
NumberList SampleOf(const Tensor& tensor, const Shape& shape, bool exchanged) {
  const NumberReader reader(tensor);
  NumberList sample;
  const int64_t step = 1 + reader.size() / work_bounds::kLooks;
  for (int64_t i = 0; i < reader.size(); i += step) {
    reader.Read(exchanged ? Exchanged(shape, i) : i, 1, &sample.emplace_back());
  }
  return sample;
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
  while (true) {
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

bool WeightSites::IsOf(const std::string& left, int64_t count) const {
  const Tensor* constant = left_.ConstantOf(left);
  return constant != nullptr && IsFloatingPoint(constant->dtype()) &&
         constant->num_elements() == count;
}

FloatsOfIntegers WeightSites::FloatsOf(const Tensor& integers, const IntegerGrid& grid) const {
  const Shape& shape = integers.shape();
  NumberList steps = SampleOf(integers, shape, false);
  const auto apart = static_cast<size_t>(1 + integers.num_elements() / work_bounds::kLooks);
  for (size_t i = 0; i < steps.size(); ++i) {
    steps[i] -= grid.ZeroOf(i * apart);
    if (grid.scales.size() > 1) steps[i] *= grid.ScaleOf(i * apart);
  }
  double best = 0;
  FloatsOfIntegers floats;
  const auto look_at = [&](const std::string& name) {
    if (!IsOf(name, integers.num_elements())) return;
    const Tensor& constant = *left_.ConstantOf(name);
    for (const bool exchanged : {false, true}) {
      if (exchanged && !MayBeExchanged(shape, constant.shape())) continue;
      const double near = CorrelationOf(steps, SampleOf(constant, shape, exchanged));
      if (near <= best) continue;
      best = near;
      floats.name = name;
    }
  };
  for (const Initializer& constant : left_.model.graph.initializers) look_at(constant.name);
  for (const Node& made : left_.model.graph.nodes) look_at(FirstResultOf(made));
  if (floats.name.empty()) return floats;
  const Tensor& constant = *left_.ConstantOf(floats.name);
  const NumberList numbers = ElementsOf(constant);
  if (constant.shape() == shape || !MayBeExchanged(shape, constant.shape())) {
    floats.forms.push_back(numbers);
  }
  if (MayBeExchanged(shape, constant.shape())) {
    NumberList& exchanged = floats.forms.emplace_back(numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      exchanged[i] = numbers[static_cast<size_t>(Exchanged(shape, static_cast<int64_t>(i)))];
    }
  }
  return floats;
}

}  // namespace onnxcmp
