#include "compare/differences/mask_numbers.h"

#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/convert.h"

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

std::vector<double> NumbersOf(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<size_t>(tensor.num_elements()));
  LoadElements<double>(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(), numbers.data());
  return numbers;
}

}  // namespace

std::optional<Tensor> WithMasksOf(const Tensor& wide, const Tensor& narrow) {
  if (!IsFloatingPoint(wide.dtype()) || !IsFloatingPoint(narrow.dtype()) ||
      BitWidth(narrow.dtype()) >= BitWidth(wide.dtype()) ||
      wide.num_elements() != narrow.num_elements()) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> from = wide.Contiguous();
  const absl::StatusOr<Tensor> other = narrow.Contiguous();
  if (!from.ok() || !other.ok()) return std::nullopt;
  std::vector<double> numbers = NumbersOf(*from);
  const std::vector<double> masks = NumbersOf(*other);
  const double greatest =
      RoundTo(narrow.dtype(), std::numeric_limits<float>::max(), Overflow::kSaturate);
  bool any = false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!(std::abs(numbers[i]) > kMask) || !(std::abs(masks[i]) >= greatest) ||
        std::signbit(numbers[i]) != std::signbit(masks[i]) || numbers[i] == masks[i]) {
      continue;
    }
    numbers[i] = masks[i];
    any = true;
  }
  if (!any) return std::nullopt;
  absl::StatusOr<Tensor> to = Tensor::Allocate(wide.dtype(), wide.shape());
  if (!to.ok()) return std::nullopt;
  StoreElements<double>(wide.dtype(), numbers.data(), to->num_elements(), to->mutable_raw_data(),
                        0);
  return *std::move(to);
}

}  // namespace onnxcmp
