#include "feed/made_up/standardization.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/convert.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostNumbers = 1 << 16;

// Numbers along one axis, or one for all elements.
struct Along {
  size_t axis_from_end = 1;
  std::vector<double> numbers;
};

std::optional<Along> AlongOf(const Tensor* tensor) {
  if (tensor == nullptr || !IsFloatingPoint(tensor->dtype())) return std::nullopt;
  const absl::StatusOr<Tensor> whole = tensor->Contiguous();
  if (!whole.ok() || whole->num_elements() < 1) return std::nullopt;
  const auto count = static_cast<size_t>(whole->num_elements());
  if (count > kMostNumbers) return std::nullopt;
  Along along;
  const Shape& shape = whole->shape();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    if (shape[axis] != whole->num_elements()) return std::nullopt;
    along.axis_from_end = shape.size() - axis;
  }
  along.numbers.resize(count);
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(),
                       along.numbers.data());
  return along;
}

// Input * gain + offset, by place along one axis.
class Affine {
 public:
  bool moved() const { return moved_; }
  bool scaled() const { return scaled_; }

  bool Scale(const Along& by, bool divide) {
    scaled_ = true;
    return Change(by, [&](double number, double* gain, double* offset) {
      if (divide) number = 1 / number;
      *gain *= number;
      *offset *= number;
    });
  }
  bool Move(const Along& by, double sign) {
    moved_ = true;
    return Change(
        by, [&](double number, double* /*gain*/, double* offset) { *offset += sign * number; });
  }
  bool Negate() {
    for (std::vector<double>* numbers : {&gain_, &offset_}) {
      for (double& number : *numbers) number = -number;
    }
    return true;
  }

  std::optional<Standardization> Get() const {
    // Beyond it what is left after the subtraction has few digits.
    constexpr double kFarthest = 1e3;
    constexpr double kLeast = 1e-5;
    constexpr double kLeastOfAll = 1e-2;  // a larger factor of all elements makes a mask of them
    constexpr double kGreatest = 1e7;
    Standardization found;
    found.axis_from_end = axis_from_end_;
    for (size_t i = 0; i < gain_.size(); ++i) {
      const double size = 1 / std::abs(gain_[i]);
      const double middle = -offset_[i] / gain_[i];
      const double least = gain_.size() == 1 ? kLeastOfAll : kLeast;
      if (!(size >= least && size <= kGreatest && std::abs(middle) <= kFarthest * size)) {
        return std::nullopt;
      }
      found.middle.push_back(middle);
      found.size.push_back(size);
    }
    // An input that is scaled alone may be anything, but for images of 8 bits.
    const bool image = std::all_of(found.size.begin(), found.size.end(), [](double size) {
      return std::abs(size - 255.5) <= 1 || std::abs(size - 127.5) <= 1;
    });
    if (!scaled_ || (!moved_ && !image)) return std::nullopt;
    return found;
  }

 private:
  template <typename F>
  bool Change(const Along& by, F&& change) {
    const size_t count = by.numbers.size();
    if (count > 1) {
      if (gain_.size() > 1 && (gain_.size() != count || axis_from_end_ != by.axis_from_end)) {
        return false;
      }
      axis_from_end_ = by.axis_from_end;
      gain_.resize(count, gain_[0]);
      offset_.resize(count, offset_[0]);
    }
    for (size_t i = 0; i < gain_.size(); ++i) {
      change(by.numbers[count > 1 ? i : 0], &gain_[i], &offset_[i]);
    }
    return true;
  }

  size_t axis_from_end_ = 1;
  std::vector<double> gain_ = {1};
  std::vector<double> offset_ = {0};
  bool moved_ = false;
  bool scaled_ = false;
};

bool AddBatchNormalization(const GraphScope& scope, const Node& node, size_t rank, Affine* affine) {
  if (node.inputs.size() < 5 || rank < 2) return false;
  const std::optional<Along> mean = AlongOf(ConstantIn(scope, node.inputs[3]));
  std::optional<Along> deviation = AlongOf(ConstantIn(scope, node.inputs[4]));
  if (!mean.has_value() || !deviation.has_value()) return false;
  const auto* given = AttributeOf<float>(node, "epsilon");
  const double epsilon = given == nullptr ? 1e-5 : *given;
  for (double& number : deviation->numbers) number = std::sqrt(number + epsilon);
  Along middle = *mean;
  for (Along* along : {&middle, &*deviation}) along->axis_from_end = rank - 1;
  return affine->Move(middle, -1) && affine->Scale(*deviation, /*divide=*/true);
}

bool AddScaler(const Node& node, Affine* affine) {
  const auto add = [&](absl::string_view name, auto&& with) {
    const auto* numbers = AttributeOf<std::vector<float>>(node, name);
    if (numbers == nullptr || numbers->empty()) return true;
    return with(Along{1, std::vector<double>(numbers->begin(), numbers->end())});
  };
  return add("offset", [&](const Along& by) { return affine->Move(by, -1); }) &&
         add("scale", [&](const Along& by) { return affine->Scale(by, /*divide=*/false); });
}

// False if the node does something else with the input.
bool AddNode(const GraphScope& scope, const GraphScope::Reader& reader, size_t rank,
             Affine* affine) {
  const Node& node = *reader.node;
  if (node.domain == kMlDomain) {
    return node.op_type == "Imputer" || (node.op_type == "Scaler" && AddScaler(node, affine));
  }
  if (IsOneOf(node, {"Identity", "Cast", "QuantizeLinear", "DequantizeLinear"})) {
    return reader.slot == 0;
  }
  if (IsOneOf(node, {"Neg"})) return affine->Negate();
  if (IsOneOf(node, {"BatchNormalization"})) {
    return reader.slot == 0 && AddBatchNormalization(scope, node, rank, affine);
  }
  if (!IsOneOf(node, {"Add", "Sub", "Mul", "Div"}) || node.inputs.size() != 2) return false;
  const std::optional<Along> by = AlongOf(ConstantIn(scope, node.inputs[1 - reader.slot]));
  if (!by.has_value() || (node.op_type == "Div" && reader.slot == 1)) return false;
  if (node.op_type == "Mul" || node.op_type == "Div") {
    return affine->Scale(*by, node.op_type == "Div");
  }
  if (node.op_type == "Add") return affine->Move(*by, 1);
  if (reader.slot == 0) return affine->Move(*by, -1);
  return affine->Negate() && affine->Move(*by, 1);
}

}  // namespace

Standardization::Around Standardization::At(const Shape& shape, int64_t i) const {
  if (middle.size() == 1) return {middle[0], size[0]};
  if (axis_from_end > shape.size()) return {};
  const size_t axis = shape.size() - axis_from_end;
  if (shape[axis] != static_cast<int64_t>(middle.size())) return {};
  int64_t stride = 1;
  for (size_t inner = axis + 1; inner < shape.size(); ++inner) stride *= shape[inner];
  const auto place = static_cast<size_t>(i / stride % shape[axis]);
  return {middle[place], size[place]};
}

std::optional<Standardization> StandardizationOf(const GraphScope& scope, const ValueInfo& input) {
  constexpr int kMostSteps = 12;
  if (!IsFloatingPoint(input.type.dtype) || !input.type.shape.has_value()) return std::nullopt;
  const size_t rank = input.type.shape->size();
  Affine affine;
  absl::string_view name = input.name;
  for (int step = 0; step < kMostSteps; ++step) {
    const auto readers = scope.readers.find(name);
    if (readers == scope.readers.end()) break;
    const GraphScope::Reader* only = nullptr;
    bool several = false;
    for (const GraphScope::Reader& reader : readers->second) {
      if (IsOneOf(*reader.node, {"Shape"})) continue;
      several |= only != nullptr;
      only = &reader;
    }
    if (only == nullptr) break;
    Affine next = affine;
    if (several || only->node->outputs.empty() || !AddNode(scope, *only, rank, &next)) break;
    affine = std::move(next);
    name = only->node->outputs[0];
    // A step after a whole one is the first layer's, a bias or the like.
    if (affine.moved() && affine.scaled()) break;
  }
  return affine.Get();
}

}  // namespace onnxcmp
