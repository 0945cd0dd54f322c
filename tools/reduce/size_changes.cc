// Smaller dimensions.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "tools/reduce/changes.h"
#include "tools/reduce/model_tensors.h"

namespace onnxcmp {
namespace {

// A range of an axis.
struct SizeCut {
  int64_t size = 0;   // of the axes that are cut
  int64_t first = 0;  // index that remains
  int64_t count = 0;
  std::string tensor = "";  // the only one that is cut; "": all
};

// The tensor with all axes of that size cut; an undefined one if none has it.
Tensor TensorWithCut(const Tensor& tensor, const SizeCut& cut) {
  if (IsSubByte(tensor.dtype())) return Tensor();
  Shape shape = tensor.shape();
  int64_t offset = tensor.offset();
  bool any = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != cut.size) continue;
    shape[i] = cut.count;
    offset += cut.first * tensor.strides()[i];
    any = true;
  }
  if (!any) return Tensor();
  const absl::StatusOr<Tensor> made = tensor.Strided(shape, tensor.strides(), offset).Contiguous();
  return made.ok() ? *made : Tensor();
}

// Numbers in short lists of integers, which are shapes and the like.
Tensor ReplaceSizeIn(const Tensor& tensor, int64_t from, int64_t to) {
  constexpr int64_t kShapeLength = 8;
  if (tensor.dtype() != DType::kInt64 || tensor.rank() > 1 ||
      tensor.num_elements() > kShapeLength) {
    return Tensor();
  }
  const absl::StatusOr<Tensor> contiguous = tensor.Contiguous();
  if (!contiguous.ok()) return Tensor();
  std::vector<int64_t> numbers(contiguous->data<int64_t>(),
                               contiguous->data<int64_t>() + tensor.num_elements());
  if (std::find(numbers.begin(), numbers.end(), from) == numbers.end()) return Tensor();
  std::replace(numbers.begin(), numbers.end(), from, to);
  return Tensor::Of<int64_t>(tensor.shape(), numbers);
}

bool CutAll(const KnownModel& known, const SizeCut& cut, bool numbers, FedModel* model) {
  const ModelTensors tensors(known, model);
  bool any = false;
  for (const std::string& name : tensors.names(/*inputs=*/true)) {
    const std::optional<Tensor> tensor = tensors.Find(name);
    if (!tensor.has_value() || (!cut.tensor.empty() && cut.tensor != name)) continue;
    Tensor made = TensorWithCut(*tensor, cut);
    if (!made.defined() && numbers) made = ReplaceSizeIn(*tensor, cut.size, cut.count);
    if (made.defined()) any = tensors.Replace(name, made, model) || any;
  }
  if (numbers) {
    for (auto& node : *model->proto.mutable_graph()->mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.type() == onnx::AttributeProto::INT && attribute.i() == cut.size) {
          attribute.set_i(cut.count);
        }
        std::replace(attribute.mutable_ints()->begin(), attribute.mutable_ints()->end(), cut.size,
                     cut.count);
      }
    }
  }
  if (any) model->proto.mutable_graph()->clear_value_info();
  return any;
}

// Where along an axis of that size the oddest number is: not finite, else the largest.
int64_t PlaceOfOddest(const Tensor& tensor, int64_t size) {
  constexpr int64_t kMany = int64_t{1} << 22;
  if ((!IsFloatingPoint(tensor.dtype()) && !IsInteger(tensor.dtype())) ||
      tensor.num_elements() > kMany) {
    return 0;
  }
  const absl::StatusOr<Tensor> contiguous = tensor.Contiguous();
  if (!contiguous.ok()) return 0;
  std::vector<double> numbers(static_cast<size_t>(tensor.num_elements()));
  LoadElements<double>(tensor.dtype(), contiguous->raw_data(), 0, tensor.num_elements(),
                       numbers.data());
  const auto odd = [](double x) { return std::isfinite(x) ? std::abs(x) : HUGE_VAL; };
  int64_t place = std::max_element(numbers.begin(), numbers.end(),
                                   [&](double a, double b) { return odd(a) < odd(b); }) -
                  numbers.begin();
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    const int64_t along = place % tensor.dim(axis);
    if (tensor.dim(axis) == size) return along;
    place /= tensor.dim(axis);
  }
  return 0;
}

// All of one size at once; then in one tensor, where others have to keep it.
std::vector<SizeCut> CutsOf(int64_t size, int64_t odd, const ModelTensors& tensors) {
  std::vector<SizeCut> cuts;
  std::set<std::pair<int64_t, int64_t>> seen;
  // Half of it is cut again, and again.
  for (const int64_t count : {int64_t{1}, (size + 1) / 2, int64_t{2}}) {
    if (count >= size) continue;
    for (const int64_t first : {std::min(odd, size - count), int64_t{0}}) {
      if (seen.emplace(count, first).second) cuts.push_back({size, first, count});
    }
  }
  std::vector<std::string> owners;
  for (const std::string& name : tensors.names(/*inputs=*/true)) {
    const std::optional<Tensor> tensor = tensors.Find(name);
    if (!tensor.has_value()) continue;
    const Shape& shape = tensor->shape();
    if (std::find(shape.begin(), shape.end(), size) != shape.end()) owners.push_back(name);
  }
  if (owners.size() < 2) return cuts;
  for (const std::string& name : owners) {
    for (const int64_t count : {int64_t{1}, (size + 1) / 2}) {
      if (count < size) cuts.push_back({size, std::min(odd, size - count), count, name});
    }
  }
  return cuts;
}

}  // namespace

std::vector<ReduceChange> SizeChanges(const KnownModel& known) {
  FedModel model{*known.proto, known.feeds};
  const ModelTensors tensors(known, &model);
  std::set<int64_t, std::greater<>> sizes;
  std::vector<Tensor> all;
  for (const std::string& name : tensors.names(/*inputs=*/true)) {
    const std::optional<Tensor> tensor = tensors.Find(name);
    if (!tensor.has_value() || tensor->num_elements() == 0) continue;
    for (const int64_t size : tensor->shape()) {
      if (size > 1) sizes.insert(size);
    }
    all.push_back(*tensor);
  }
  std::stable_sort(all.begin(), all.end(), [](const Tensor& a, const Tensor& b) {
    return a.num_elements() > b.num_elements();
  });
  std::vector<ReduceChange> changes;
  for (const int64_t size : sizes) {
    const auto largest = std::find_if(all.begin(), all.end(), [&](const Tensor& tensor) {
      return std::find(tensor.shape().begin(), tensor.shape().end(), size) != tensor.shape().end();
    });
    const int64_t odd = largest == all.end() ? 0 : PlaceOfOddest(*largest, size);
    for (const SizeCut& cut : CutsOf(size, odd, tensors)) {
      const auto apply = [cut](bool numbers) {
        return [cut, numbers](const KnownModel& now, FedModel* edited) {
          return CutAll(now, cut, numbers, edited);
        };
      };
      ReduceChange change = {absl::StrCat("dimensions of ", size, " cut to ", cut.count),
                             apply(false)};
      if (cut.tensor.empty()) change.otherwise = apply(true);
      change.group = absl::StrCat("dimensions of ", size);
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace onnxcmp
