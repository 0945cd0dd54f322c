#include "compare/conversion/honest_constant.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "compare/conversion/near_results.h"
#include "compare/quantization/dequantized_view.h"
#include "evaluator/tensor/dtype.h"
#include "record/base/thresholds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Half a step, and what single precision adds to it.
constexpr double kHalfStep = 0.501;
// Errors that are no rounding to nearest, in steps: the most on the whole, the most that they
// may have in common, and the most that a factor may explain.
constexpr double kErrorOfWeights = 0.75;
constexpr double kCommonOffset = 0.2;
// Fewer numbers than this have to be rounded to nearest.
constexpr double kFewWeights = 32;

bool IsFill(double plain, double converted, double greatest) {
  return plain < -greatest && converted <= -std::min(thresholds::kMaskFill, greatest);
}

// The errors of all numbers of one scale.
struct Errors {
  double count = 0;
  double beyond = 0;  // numbers that are not the nearest step
  double sum = 0;     // in steps
  double squares = 0;
  double products = 0;
  double steps = 0;    // squares of the integers
  double outward = 0;  // away from 0: what a rounding towards it leaves

  void Add(const Errors& other) {
    count += other.count;
    beyond += other.beyond;
    sum += other.sum;
    squares += other.squares;
    products += other.products;
    steps += other.steps;
    outward += other.outward;
  }
  bool Fit() const {
    if (beyond == 0) return true;
    if (!std::isfinite(squares)) return false;
    if (count < kFewWeights || steps == 0) return false;
    // The mean and the factor of a few errors scatter.
    constexpr double kDeviations = 5;
    const double rms = std::sqrt(squares / count);
    return rms <= kErrorOfWeights &&
           std::abs(sum / count) <= kCommonOffset + kDeviations * rms / std::sqrt(count) &&
           std::abs(outward / count) <= kCommonOffset + kDeviations * rms / std::sqrt(count) &&
           std::abs(products / steps) <=
               thresholds::kMostCommonFactor + kDeviations * rms / std::sqrt(steps);
  }
};

// The scale of one element after the other.
class ScaleCursor {
 public:
  ScaleCursor(const QuantParamValues& params, const Shape& shape, int64_t first)
      : params_(params), shape_(shape), element_(first) {
    if (params.per_tensor()) return;
    along_ = shape[static_cast<size_t>(params.axis)];
    for (size_t i = static_cast<size_t>(params.axis) + 1; i < shape.size(); ++i) inner_ *= shape[i];
    in_ = first % inner_;
    at_ = params.block == 0 ? first / inner_ % along_ : params.ScaleAt(shape, first);
  }

  int64_t at() const { return at_; }
  double scale() const { return params_.ScaleOf(at_); }
  double zero_point() const { return params_.ZeroPointOf(at_); }
  void Next() {
    if (params_.per_tensor()) return;
    ++element_;
    if (params_.block != 0) {
      at_ = params_.ScaleAt(shape_, element_);
    } else if (++in_ == inner_) {
      in_ = 0;
      at_ = at_ + 1 == along_ ? 0 : at_ + 1;
    }
  }

 private:
  const QuantParamValues& params_;
  const Shape& shape_;
  int64_t element_;
  int64_t along_ = 1;
  int64_t inner_ = 1;
  int64_t in_ = 0;
  int64_t at_ = 0;
};

}  // namespace

ConstantRounding RoundingOf(const Tensor& plain, const Tensor& converted, const ThreadPool* pool) {
  if (plain.num_elements() != converted.num_elements() || IsComplex(plain.dtype()) ||
      !SameKindOfNumber(plain.dtype(), converted.dtype())) {
    return ConstantRounding::kWrong;
  }
  const Tensor a = plain.InMemory(pool).value_or(plain);
  const Tensor b = converted.InMemory(pool).value_or(converted);
  // Half the distance of neighbours, with room for a second rounding.
  const double half = 0.51 * CoarserEpsilon(a.dtype(), b.dtype());
  const double least = b.dtype() == DType::kFloat16 ? std::ldexp(1, -14) : 0;
  // Converters write at most this for smaller numbers.
  constexpr double kSmall = 2e-7;
  const double greatest = GreatestFinite(b.dtype());
  const auto is_near = [&](double x, double y) {
    return std::isfinite(x) && std::abs(x - y) <= half * std::max(std::abs(x), least);
  };
  std::atomic<bool> clamped = false, wrong = false;
  ForEachNumberPiece(a.num_elements(), pool, [&](int64_t, int64_t begin, int64_t end) {
    if (wrong) return;
    ForEachStrip(NumberReader(a), NumberReader(b), begin, end,
                 [&](int64_t /*first*/, int64_t count, const double* x, const double* y) {
                   int far = 0;
                   for (int64_t i = 0; i < count; ++i) far += is_near(x[i], y[i]) ? 0 : 1;
                   for (int64_t i = 0; far > 0 && i < count; ++i) {
                     if (is_near(x[i], y[i]) || x[i] == y[i] || IsFill(x[i], y[i], greatest) ||
                         (std::isnan(x[i]) && std::isnan(y[i]))) {
                       continue;
                     }
                     const bool small = least > 0 && x[i] * y[i] >= 0 && std::abs(x[i]) <= kSmall &&
                                        std::abs(y[i]) <= kSmall;
                     const bool great = std::abs(x[i]) > greatest && x[i] * y[i] > 0 &&
                                        std::abs(y[i]) >= std::min(thresholds::kMaskFill, greatest);
                     (small || great ? clamped : wrong) = true;
                   }
                   return !wrong.load();
                 });
  });
  return wrong     ? ConstantRounding::kWrong
         : clamped ? ConstantRounding::kClamped
                   : ConstantRounding::kHonest;
}

bool IsQuantizedFrom(const Tensor& plain, const Tensor& integers, const QuantParamValues& params,
                     const ThreadPool* pool) {
  const int64_t size = integers.num_elements();
  if (plain.num_elements() != size || !IsFloatingPoint(plain.dtype())) return false;
  if (!absl::c_all_of(params.scales, [](double scale) { return std::isfinite(scale); })) {
    return false;
  }
  const Tensor a = plain.InMemory(pool).value_or(plain);
  const Tensor b = integers.InMemory(pool).value_or(integers);
  const Shape& shape = integers.shape();
  // The scales that a piece reads lie between these.
  struct Piece {
    int64_t first = 0;
    std::vector<Errors> errors;
  };
  std::vector<Piece> pieces(static_cast<size_t>(NumberPieces(size)));
  const bool in_rows = params.block != 0 && params.axis + 1 == static_cast<int64_t>(shape.size());
  ForEachNumberPiece(size, pool, [&](int64_t index, int64_t begin, int64_t end) {
    Piece& piece = pieces[static_cast<size_t>(index)];
    piece.first = in_rows ? params.ScaleAt(shape, begin) : 0;
    const int64_t last =
        in_rows ? params.ScaleAt(shape, end - 1) : static_cast<int64_t>(params.scales.size()) - 1;
    piece.errors.resize(static_cast<size_t>(last - piece.first + 1));
    ScaleCursor cursor(params, shape, begin);
    ForEachStrip(NumberReader(a), NumberReader(b), begin, end,
                 [&](int64_t /*first*/, int64_t count, const double* x, const double* q) {
                   for (int64_t i = 0; i < count; ++i, cursor.Next()) {
                     const double scale = cursor.scale(), zero = cursor.zero_point();
                     // A scale of 0 stands for zeros alone.
                     const double step = scale == 0 && x[i] == 0 ? q[i] - zero : x[i] / scale;
                     const double saturated = std::clamp(step + zero, params.least, params.most);
                     // A range that is made for all numbers ends at most a step before the last.
                     const double wanted =
                         std::abs(step + zero - saturated) <= 1 ? saturated : step + zero;
                     const double error = wanted - q[i];
                     const double far = std::abs(error) <= kHalfStep ? 0 : 1;
                     piece.errors[static_cast<size_t>(cursor.at() - piece.first)].Add(
                         {1, far, error, error * error, error * (q[i] - zero),
                          (q[i] - zero) * (q[i] - zero), step < 0 ? -error : error});
                   }
                   return true;
                 });
  });
  std::vector<Errors> all(params.scales.size());
  for (const Piece& piece : pieces) {
    for (size_t i = 0; i < piece.errors.size(); ++i) {
      all[static_cast<size_t>(piece.first) + i].Add(piece.errors[i]);
    }
  }
  if (!absl::c_all_of(all, [](const Errors& errors) { return errors.Fit(); })) return false;
  // An error that a row or a column has by itself is no choice of a quantizer.
  return absl::c_all_of(all, [](const Errors& errors) { return errors.beyond == 0; }) ||
         AreNear(a, DequantizedView(b, params), 0,
                 kErrorOfWeights * *absl::c_max_element(params.scales));
}

}  // namespace onnxcmp
