#include "compare/differences/mask_numbers.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "compare/differences/number_strips.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

constexpr double kMask = 1e30;

}  // namespace

std::optional<Tensor> WithMasksOf(const Tensor& wide, const Tensor& narrow) {
  if (!IsFloatingPoint(wide.dtype()) || !IsFloatingPoint(narrow.dtype()) ||
      BitWidth(narrow.dtype()) >= BitWidth(wide.dtype()) ||
      wide.num_elements() != narrow.num_elements()) {
    return std::nullopt;
  }
  const double greatest =
      RoundTo(narrow.dtype(), std::numeric_limits<float>::max(), Overflow::kSaturate);
  const auto is_mask = [&](double wide_number, double narrow_number) {
    return std::abs(wide_number) > kMask && std::abs(narrow_number) >= greatest &&
           std::signbit(wide_number) == std::signbit(narrow_number) && wide_number != narrow_number;
  };
  const NumberReader from(wide);
  const NumberReader other(narrow);
  bool any = false;
  ForEachStrip(from, other, 0, from.size(),
               [&](int64_t, int64_t count, const double* a, const double* b) {
                 for (int64_t i = 0; i < count && !any; ++i) any = is_mask(a[i], b[i]);
                 return !any;
               });
  if (!any) return std::nullopt;
  absl::StatusOr<Tensor> to = Tensor::Allocate(wide.dtype(), wide.shape());
  if (!to.ok()) return std::nullopt;
  ForEachStrip(from, other, 0, from.size(),
               [&](int64_t first, int64_t count, const double* a, const double* b) {
                 double masked[kNumberStrip];
                 for (int64_t i = 0; i < count; ++i) masked[i] = is_mask(a[i], b[i]) ? b[i] : a[i];
                 StoreElements<double>(wide.dtype(), masked, count, to->mutable_raw_data(), first);
                 return true;
               });
  return *std::move(to);
}

}  // namespace onnxcmp
