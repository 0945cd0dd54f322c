// Simpler numbers in inputs and constants.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "tools/reduce/changes.h"
#include "tools/reduce/model_tensors.h"

namespace onnxcmp {
namespace {

using NumberList = std::vector<double>;

// How simple numbers are: a change must make them simpler, so that changes come to an end.
enum class Simplicity { kZeros, kOnes, kOneNumber, kWhole, kAny };

Simplicity SimplicityOf(const NumberList& numbers) {
  const auto all = [&](auto holds) { return std::all_of(numbers.begin(), numbers.end(), holds); };
  if (all([](double x) { return x == 0; })) return Simplicity::kZeros;
  if (all([](double x) { return x == 1; })) return Simplicity::kOnes;
  if (numbers.size() > 1 &&
      numbers.size() - 1 == static_cast<size_t>(std::count(numbers.begin(), numbers.end(), 0.0))) {
    return Simplicity::kOneNumber;
  }
  if (all([](double x) { return !std::isfinite(x) || x == std::round(x); })) {
    return Simplicity::kWhole;
  }
  return Simplicity::kAny;
}

std::optional<NumberList> SimpleNumbersOf(const Tensor& tensor) {
  constexpr int64_t kMany = int64_t{1} << 22;
  const DType dtype = tensor.dtype();
  if (!IsFloatingPoint(dtype) && !IsInteger(dtype)) return std::nullopt;
  if (tensor.num_elements() == 0 || tensor.num_elements() > kMany) return std::nullopt;
  const absl::StatusOr<Tensor> contiguous = tensor.Contiguous();
  if (!contiguous.ok()) return std::nullopt;
  NumberList numbers(static_cast<size_t>(tensor.num_elements()));
  LoadElements<double>(dtype, contiguous->raw_data(), 0, tensor.num_elements(), numbers.data());
  return numbers;
}

using Simplify = std::function<void(NumberList*)>;

// True if the numbers of a tensor were replaced by simpler ones.
bool SimplifyTensor(const ModelTensors& tensors, const std::string& name, const Simplify& simplify,
                    FedModel* model) {
  const std::optional<Tensor> tensor = tensors.Find(name);
  if (!tensor.has_value()) return false;
  std::optional<NumberList> numbers = SimpleNumbersOf(*tensor);
  if (!numbers.has_value()) return false;
  const Simplicity before = SimplicityOf(*numbers);
  simplify(&*numbers);
  if (SimplicityOf(*numbers) >= before) return false;
  absl::StatusOr<Tensor> made = Tensor::Allocate(tensor->dtype(), tensor->shape());
  if (!made.ok()) return false;
  StoreElements<double>(made->dtype(), numbers->data(), made->num_elements(),
                        made->mutable_raw_data(), 0);
  return tensors.Replace(name, *made, model);
}

// Leaves one number among zeros, of those that are likely to matter: the place is found by
// `before`.
template <typename Before>
Simplify OneNumber(Before before) {
  return [before](NumberList* numbers) {
    const auto kept = std::min_element(numbers->begin(), numbers->end(), before);
    const double value = *kept;
    const auto place = kept - numbers->begin();
    std::fill(numbers->begin(), numbers->end(), 0.0);
    (*numbers)[static_cast<size_t>(place)] = value;
  };
}

bool IsOddFirst(double a, double b) { return !std::isfinite(a) && std::isfinite(b); }

std::vector<std::pair<std::string, Simplify>> Simplifications() {
  return {
      {"zeros", [](NumberList* numbers) { std::fill(numbers->begin(), numbers->end(), 0.0); }},
      {"ones", [](NumberList* numbers) { std::fill(numbers->begin(), numbers->end(), 1.0); }},
      // Not finite, else the largest.
      {"one number among zeros", OneNumber([](double a, double b) {
         if (IsOddFirst(a, b) || IsOddFirst(b, a)) return IsOddFirst(a, b);
         return std::abs(a) > std::abs(b);
       })},
      {"one negative number among zeros", OneNumber([](double a, double b) { return a < b; })},
      {"whole numbers",
       [](NumberList* numbers) {
         for (double& number : *numbers) {
           if (std::isfinite(number)) number = std::round(number);
         }
       }},
  };
}

}  // namespace

std::vector<ReduceChange> NumberChanges(const KnownModel& known, bool inputs) {
  std::vector<ReduceChange> changes;
  FedModel model{*known.proto, known.feeds};
  const std::vector<std::string> names = ModelTensors(known, &model).names(inputs);
  for (const auto& [words, simplify] : Simplifications()) {
    if (words != "zeros" && words != "ones") break;
    changes.push_back({absl::StrCat("all numbers ", words),
                       [names, simplify = simplify](const KnownModel& now, FedModel* edited) {
                         const ModelTensors tensors(now, edited);
                         bool any = false;
                         for (const std::string& name : names) {
                           any = SimplifyTensor(tensors, name, simplify, edited) || any;
                         }
                         return any;
                       }});
  }
  for (const std::string& name : names) {
    for (const auto& [words, simplify] : Simplifications()) {
      changes.push_back({absl::StrCat("numbers of ", name, ": ", words),
                         [name, simplify = simplify](const KnownModel& now, FedModel* edited) {
                           const ModelTensors tensors(now, edited);
                           return SimplifyTensor(tensors, name, simplify, edited);
                         },
                         nullptr, "numbers of " + name});
    }
  }
  return changes;
}

}  // namespace onnxcmp
