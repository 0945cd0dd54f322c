#include "record/differences/mask_numbers.h"

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include "evaluator/tensor/convert.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {
namespace {

// The magnitude from which on a number of a narrow type stands for a wide one's mask.
double LeastMaskOf(DType narrow) {
  return narrow == DType::kFloat16
             ? thresholds::kMaskMagnitudeOfFloat16
             : RoundTo(narrow, std::numeric_limits<float>::max(), Overflow::kSaturate);
}

}  // namespace

std::optional<Tensor> WithMasksOf(const Tensor& wide, const Tensor& narrow,
                                  const ThreadPool* pool) {
  if (!IsFloatingPoint(wide.dtype()) || !IsFloatingPoint(narrow.dtype()) ||
      BitWidth(narrow.dtype()) >= BitWidth(wide.dtype()) ||
      wide.num_elements() != narrow.num_elements()) {
    return std::nullopt;
  }
  const double least = LeastMaskOf(narrow.dtype());
  const auto is_mask = [&](double wide_number, double narrow_number) {
    return std::abs(wide_number) > thresholds::kMaskMagnitude && std::abs(narrow_number) >= least &&
           std::signbit(wide_number) == std::signbit(narrow_number) && wide_number != narrow_number;
  };
  const NumberReader from(wide);
  const NumberReader other(narrow);
  std::atomic<bool> any = false;
  ForEachNumberPiece(from.size(), pool, [&](int64_t, int64_t begin, int64_t end) {
    ForEachStrip(from, begin, end, [&](int64_t first, int64_t count, const double* a) {
      // Few tensors have numbers of that size.
      int64_t large = 0;
      for (int64_t i = 0; i < count; ++i)
        large += std::abs(a[i]) > thresholds::kMaskMagnitude ? 1 : 0;
      if (large == 0) return;
      double b[kNumberStrip];
      other.Read(first, count, b);
      for (int64_t i = 0; i < count; ++i) {
        if (is_mask(a[i], b[i])) any = true;
      }
    });
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

bool DifferInMasksAlone(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !IsFloatingPoint(a.dtype()) ||
      a.num_elements() != b.num_elements()) {
    return false;
  }
  bool alone = true;
  const NumberReader reader(a);
  ForEachStrip(reader, NumberReader(b), 0, reader.size(),
               [&](int64_t, int64_t count, const double* x, const double* y) {
                 for (int64_t i = 0; i < count && alone; ++i) {
                   const bool masks = std::abs(x[i]) > thresholds::kMaskMagnitude &&
                                      std::abs(y[i]) > thresholds::kMaskMagnitude &&
                                      std::signbit(x[i]) == std::signbit(y[i]);
                   alone = masks || x[i] == y[i];
                 }
                 return alone;
               });
  return alone;
}

}  // namespace onnxcmp
