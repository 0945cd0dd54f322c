#include "compare/quantization/dequantized_view.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "record/base/thresholds.h"

namespace onnxcmp {
namespace {

// Fills a new tensor strip by strip: made(first, count, a) changes the numbers in `a` in place.
template <typename Make>
absl::StatusOr<Tensor> Stored(const DequantizedView& reals, const Shape& shape, DType dtype,
                              const ThreadPool* pool, const Make& make) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  std::byte* data = tensor.mutable_raw_data();
  const DequantizedReader reader(reals);
  // Pieces begin at whole bytes in any type.
  ForEachNumberPiece(reals.size(), pool, [&](int64_t /*piece*/, int64_t begin, int64_t end) {
    ForEachStrip(reader, begin, end, [&](int64_t first, int64_t count, double* a) {
      make(first, count, a);
      StoreElements<double>(dtype, a, count, data, first);
    });
  });
  return tensor;
}

}  // namespace

DequantizedView::DequantizedView(std::vector<double> numbers) {
  const auto held = std::make_shared<const std::vector<double>>(std::move(numbers));
  const auto size = static_cast<int64_t>(held->size());
  const auto bytes = static_cast<int64_t>(held->size() * sizeof(double));
  // The buffer has exactly the bytes of the shape, so this cannot fail.
  tensor_ = *Tensor::FromBuffer(DType::kDouble, {size}, Buffer::Borrow(held->data(), bytes, held));
}

std::vector<double> DequantizedView::All() const {
  std::vector<double> numbers(static_cast<size_t>(size()));
  if (!numbers.empty()) DequantizedReader(*this).Read(0, size(), numbers.data());
  return numbers;
}

void DequantizedReader::Read(int64_t first, int64_t count, double* out) const {
  numbers_.Read(first, count, out);
  if (!reals_.params().has_value()) return;
  const QuantParamValues& params = *reals_.params();
  if (params.per_tensor()) {
    const double scale = params.ScaleOf(0);
    const double zero_point = params.ZeroPointOf(0);
    for (int64_t i = 0; i < count; ++i) out[i] = (out[i] - zero_point) * scale;
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t s = params.ScaleAt(reals_.tensor().shape(), first + i);
    out[i] = (out[i] - params.ZeroPointOf(s)) * params.ScaleOf(s);
  }
}

absl::StatusOr<Tensor> Quantized(const DequantizedView& reals, const Shape& shape, DType dtype,
                                 const QuantParamValues& params, const ThreadPool* pool) {
  const auto rounded = [&](double number, double scale, double zero_point) {
    const double step = std::nearbyint(number / scale) + zero_point;
    const double at_least = step > params.least ? step : params.least;
    const double clamped = at_least < params.most ? at_least : params.most;
    // NaN comes from a scale of 0.
    return std::isnan(step) ? zero_point : clamped;
  };
  return Stored(reals, shape, dtype, pool, [&](int64_t first, int64_t count, double* a) {
    if (params.per_tensor()) {
      const double scale = params.ScaleOf(0);
      const double zero_point = params.ZeroPointOf(0);
      for (int64_t i = 0; i < count; ++i) a[i] = rounded(a[i], scale, zero_point);
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t s = params.ScaleAt(shape, first + i);
      a[i] = rounded(a[i], params.ScaleOf(s), params.ZeroPointOf(s));
    }
  });
}

absl::StatusOr<Tensor> InFloats(const DequantizedView& reals, const Shape& shape, DType dtype,
                                const ThreadPool* pool) {
  return Stored(reals, shape, dtype, pool, [](int64_t, int64_t, double*) {});
}

}  // namespace onnxcmp
