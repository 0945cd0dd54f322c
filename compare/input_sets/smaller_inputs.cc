#include "compare/input_sets/smaller_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "feed/input_fit.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// A copy that may be written to; nothing of what has no numbers of whole bytes.
std::optional<Tensor> CopyOf(const Value& value) {
  if (!value.is_tensor()) return std::nullopt;
  const Tensor& tensor = value.tensor();
  const int bits = BitWidth(tensor.dtype());
  if (bits == 0 || bits % 8 != 0 || tensor.num_elements() == 0) return std::nullopt;
  const absl::StatusOr<Tensor> whole = tensor.Contiguous();
  absl::StatusOr<Tensor> copy = Tensor::Allocate(tensor.dtype(), tensor.shape());
  if (!whole.ok() || !copy.ok()) return std::nullopt;
  std::memcpy(copy->mutable_raw_data(), whole->raw_data(), static_cast<size_t>(whole->byte_size()));
  return *std::move(copy);
}

std::optional<Tensor> WithZeros(const Value& value, int64_t first, int64_t count) {
  std::optional<Tensor> copy = CopyOf(value);
  if (!copy.has_value()) return std::nullopt;
  const int64_t size = BitWidth(copy->dtype()) / 8;
  std::byte* data = copy->mutable_raw_data() + first * size;
  const bool any =
      std::any_of(data, data + count * size, [](std::byte b) { return b != std::byte(0); });
  if (!any) return std::nullopt;
  std::memset(data, 0, static_cast<size_t>(count * size));
  return copy;
}

std::optional<Tensor> Rounded(const Value& value) {
  std::optional<Tensor> copy = CopyOf(value);
  if (!copy.has_value() || !IsFloatingPoint(copy->dtype())) return std::nullopt;
  const int64_t count = copy->num_elements();
  std::vector<double> numbers(static_cast<size_t>(count));
  LoadElements<double>(copy->dtype(), copy->raw_data(), 0, count, numbers.data());
  for (double& number : numbers) number = std::round(number);
  StoreElements<double>(copy->dtype(), numbers.data(), count, copy->mutable_raw_data(), 0,
                        Overflow::kSaturate);
  return copy;
}

class Reducer {
 public:
  Reducer(FedInputs fed, int most_asked, absl::FunctionRef<bool(const FedInputs&)> differ)
      : fed_(std::move(fed)), left_to_ask_(most_asked), differ_(differ) {}

  // `left`, `right`: names of what is one input; "" where a side has none.
  void Reduce(const std::string& left, const std::string& right) {
    const bool of_left = fed_.left.contains(left);
    if (!of_left && !fed_.right.contains(right)) return;
    const auto current = [&]() -> const Value& {
      return of_left ? fed_.left.find(left)->second : fed_.right.find(right)->second;
    };
    if (!current().is_tensor()) return;
    const int64_t count = current().tensor().num_elements();
    if (count == 0 || Take(WithZeros(current(), 0, count), left, right)) return;
    for (int64_t pieces = 2; pieces <= std::min<int64_t>(count, work_bounds::kTrials);
         pieces *= 2) {
      const int64_t size = (count + pieces - 1) / pieces;
      for (int64_t first = 0; first < count; first += size) {
        Take(WithZeros(current(), first, std::min(size, count - first)), left, right);
      }
    }
    Take(Rounded(current()), left, right);
  }

  FedInputs Result() { return std::move(fed_); }

 private:
  // Keeps the tensor if the sides still differ with it.
  bool Take(std::optional<Tensor> tensor, const std::string& left, const std::string& right) {
    if (!tensor.has_value() || left_to_ask_ <= 0) return false;
    --left_to_ask_;
    FedInputs other = fed_;
    const Value value(*std::move(tensor));
    if (!Give(value, left, &other.left) || !Give(value, right, &other.right)) return false;
    if (!differ_(other)) return false;
    fed_ = std::move(other);
    return true;
  }

  // Gives a side the value in the type of its own; false if it does not hold it.
  static bool Give(const Value& value, const std::string& name, Feeds* feeds) {
    const auto own = feeds->find(name);
    if (name.empty() || own == feeds->end()) return true;
    const absl::StatusOr<FittedValue> fitted = FitValue(value, TypeOfTensor(own->second.tensor()));
    if (!fitted.ok()) return false;
    own->second = fitted->value;
    return true;
  }

  FedInputs fed_;
  int left_to_ask_;
  absl::FunctionRef<bool(const FedInputs&)> differ_;
};

}  // namespace

FedInputs MadeSmaller(FedInputs fed, const InputMapping& mapping, int most_asked,
                      absl::FunctionRef<bool(const FedInputs&)> differ) {
  Reducer reducer(std::move(fed), most_asked, differ);
  for (const MappedInput& pair : mapping.pairs) {
    if (!pair.left_is_input || !pair.right_is_input) continue;
    reducer.Reduce(pair.left, pair.right);
  }
  return reducer.Result();
}

}  // namespace onnxcmp
