#include "ops/common/quantized/quantization.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

constexpr int64_t kStrip = 512;  // elements; whole bytes of packed types
constexpr int64_t kGrain = 64 * kStrip;

// Where the parameter of an element is.
struct Granularity {
  enum class Kind : uint8_t { kTensor, kAxis, kBlocks };
  Kind kind = Kind::kTensor;
  // The tensor as (outer, length, inner) around the axis.
  int64_t length = 1;
  int64_t inner = 1;
  int64_t block = 1;
  int64_t blocks = 1;  // along the axis

  // The parameters of elements [begin, begin + count).
  template <typename C>
  void Fill(const C* parameters, int64_t begin, int64_t count, C* out) const {
    if (kind == Kind::kTensor) {
      std::fill_n(out, count, parameters[0]);
      return;
    }
    int64_t i = begin % inner;
    int64_t a = begin / inner % length;
    int64_t o = begin / inner / length;
    for (C* const end = out + count; out < end;) {
      int64_t run = 0;  // elements of neighbouring parameters, or of one
      if (kind == Kind::kAxis && inner == 1) {
        run = std::min(length - a, end - out);
        std::copy_n(parameters + a, run, out);
        a += run;
      } else if (kind == Kind::kBlocks && inner == 1) {
        run = std::min({block - a % block, length - a, end - out});
        std::fill_n(out, run, parameters[o * blocks + a / block]);
        a += run;
      } else {
        run = std::min(inner - i, end - out);
        if (kind == Kind::kAxis) {
          std::fill_n(out, run, parameters[a]);
        } else {
          std::copy_n(parameters + (o * blocks + a / block) * inner + i, run, out);
        }
        i += run;
        if (i == inner) {
          i = 0;
          ++a;
        }
      }
      if (a == length) {
        a = 0;
        ++o;
      }
      out += run;
    }
  }
};

// The parameter of each element of a strip. One for the whole tensor is written once.
template <typename C>
struct ParameterStrip {
  C* Next(const Granularity& granularity, const Tensor& parameters, int64_t begin, int64_t count) {
    const bool is_one = granularity.kind == Granularity::Kind::kTensor;
    if (!is_one || !is_filled) {
      granularity.Fill(parameters.data<C>(), begin, is_one ? kStrip : count, values);
    }
    is_filled = true;
    return values;
  }
  alignas(64) C values[kStrip] = {};
  bool is_filled = false;
};

absl::StatusOr<Granularity> GranularityOf(const Tensor& x, const Tensor& scale,
                                          const QuantizationAxis& at) {
  Granularity result;
  if (at.block_size < 0) {
    return absl::InvalidArgumentError(absl::StrCat("block_size is ", at.block_size));
  }
  if (at.block_size == 0 && scale.rank() <= 1 && scale.num_elements() == 1) return result;

  // A vector has one axis only, whatever the attribute says.
  const int64_t axis = x.rank() == 1 ? 0 : at.axis < 0 ? at.axis + x.rank() : at.axis;
  if (axis < 0 || axis >= x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", at.axis, " is out of range for rank ", x.rank()));
  }
  result.length = x.dim(static_cast<int>(axis));
  for (int64_t d = axis + 1; d < x.rank(); ++d) result.inner *= x.dim(static_cast<int>(d));
  Shape want = {result.length};
  if (at.block_size == 0) {
    result.kind = Granularity::Kind::kAxis;
  } else {
    result.kind = Granularity::Kind::kBlocks;
    result.block = at.block_size;
    result.blocks = result.length / at.block_size + (result.length % at.block_size != 0 ? 1 : 0);
    want = x.shape();
    want[static_cast<size_t>(axis)] = result.blocks;
  }
  if (scale.shape() != want) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the scale is ", scale.TypeString(), ", but ", x.TypeString(), " with axis ", at.axis,
        " and block size ", at.block_size, " needs [", ShapeToString(want), "]"));
  }
  return result;
}

absl::Status CheckZeroPoint(const Tensor& scale, const Tensor* zero_point) {
  if (zero_point != nullptr && zero_point->shape() != scale.shape()) {
    // A scalar and a vector of one element are taken for each other.
    if (zero_point->num_elements() == 1 && scale.num_elements() == 1) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("the zero point is ", zero_point->TypeString(),
                                                   ", but the scale ", scale.TypeString()));
  }
  return absl::OkStatus();
}

// Rounds to the values of a narrow float.
template <typename C>
void Round(DType dtype, C* x, int64_t count) {
  alignas(8) std::byte bits[kStrip * sizeof(float)];
  StoreElements<C>(dtype, x, count, bits, 0);
  LoadElements<C>(dtype, bits, 0, count, x);
}

// x / scales rounded to whole numbers, plus `zeros`, as int8 or uint8, saturated; NaN becomes 0.
// All kStrip values are read.
template <typename C>
void QuantizeToBytes(const C* x, const C* scales, const C* zeros, int64_t count, C low, C high,
                     std::byte* out) {
  alignas(64) int32_t whole[kStrip];
  alignas(64) uint8_t bytes[kStrip];
  for (int64_t i = 0; i < kStrip; ++i) {
    C value = std::nearbyint(x[i] / scales[i]) + zeros[i];
    value = value == value ? value : C{0};
    value = value > low ? value : low;
    whole[i] = static_cast<int32_t>(value < high ? value : high);
  }
  for (int64_t i = 0; i < kStrip; ++i) bytes[i] = static_cast<uint8_t>(whole[i]);
  std::memcpy(out, bytes, static_cast<size_t>(count));
}

template <typename C>
absl::StatusOr<Tensor> QuantizeIn(const KernelContext& ctx, const Tensor& input,
                                  const Tensor& scale, const Tensor* zero_point,
                                  const QuantizeOptions& options) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(input));
  OC_RETURN_IF_ERROR(CheckZeroPoint(scale, zero_point));
  OC_ASSIGN_OR_RETURN(const Granularity granularity, GranularityOf(x, scale, options.granularity));
  OC_ASSIGN_OR_RETURN(const Tensor scales, LoadTensor<C>(ctx, scale));
  Tensor zeros;
  if (zero_point != nullptr) {
    OC_ASSIGN_OR_RETURN(zeros, LoadTensor<C>(ctx, *zero_point));
    // -0 must survive where there is nothing to add.
    const C* begin = zeros.data<C>();
    if (std::all_of(begin, begin + zeros.num_elements(), [](C z) { return z == 0; })) zeros = {};
  }
  const DType own = IsNarrowFloat(scale.dtype()) && scale.dtype() != DType::kFloat8E8M0
                        ? scale.dtype()
                        : DType::kFloat;
  const DType precision = options.precision == DType::kUndefined ? own : options.precision;
  const bool rounds = IsNarrowFloat(precision);
  const bool whole = IsInteger(options.output);
  const bool to_bytes = whole && BitWidth(options.output) == 8 && !rounds;
  const C low = whole ? static_cast<C>(IntegerMin(options.output)) : C{0};
  const C high = whole ? static_cast<C>(IntegerMax(options.output)) : C{0};
  const Overflow overflow = whole || options.saturate ? Overflow::kSaturate : Overflow::kIeee;
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(options.output, x.shape()));
  std::byte* out = y.mutable_raw_data();
  ctx.pool().ParallelRanges(x.num_elements(), kGrain, [&](int64_t first, int64_t last) {
    // Loops run over the whole strip: a fixed count is what the compiler vectorises.
    alignas(64) C values[kStrip] = {};
    ParameterStrip<C> scale_strip;
    ParameterStrip<C> zero_strip;
    for (int64_t begin = first; begin < last; begin += kStrip) {
      const int64_t count = std::min(kStrip, last - begin);
      C* divisors = scale_strip.Next(granularity, scales, begin, count);
      const C* offsets =
          zeros.defined() ? zero_strip.Next(granularity, zeros, begin, count) : zero_strip.values;
      const bool in_place = x.dtype() == kDTypeOf<C> && count == kStrip && to_bytes;
      if (!in_place) LoadElements<C>(x.dtype(), x.raw_data(), begin, count, values);
      if (to_bytes) {
        const C* from = in_place ? x.data<C>() + begin : values;
        QuantizeToBytes(from, divisors, offsets, count, low, high, out + begin);
        continue;
      }
      if (rounds) {
        Round(precision, values, count);
        Round(precision, divisors, count);
      }
      for (int64_t i = 0; i < kStrip; ++i) values[i] /= divisors[i];
      if (rounds) Round(precision, values, count);
      if (whole) {
        for (int64_t i = 0; i < kStrip; ++i) values[i] = std::nearbyint(values[i]);
      }
      if (zeros.defined()) {
        for (int64_t i = 0; i < kStrip; ++i) values[i] += offsets[i];
      }
      StoreElements<C>(options.output, values, count, out, begin, overflow);
    }
  });
  return y;
}

template <typename C>
absl::StatusOr<Tensor> DequantizeIn(const KernelContext& ctx, const Tensor& input,
                                    const Tensor& scale, const Tensor* zero_point,
                                    const QuantizationAxis& at, DType output) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.Contiguous(input));
  OC_RETURN_IF_ERROR(CheckZeroPoint(scale, zero_point));
  OC_ASSIGN_OR_RETURN(const Granularity granularity, GranularityOf(x, scale, at));
  OC_ASSIGN_OR_RETURN(const Tensor scales, LoadTensor<C>(ctx, scale));
  Tensor zeros;
  if (zero_point != nullptr) {
    OC_ASSIGN_OR_RETURN(zeros, LoadTensor<C>(ctx, *zero_point));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(output, x.shape()));
  std::byte* out = y.mutable_raw_data();
  ctx.pool().ParallelRanges(x.num_elements(), kGrain, [&](int64_t first, int64_t last) {
    // Loops run over the whole strip: a fixed count is what the compiler vectorises.
    alignas(64) C values[kStrip] = {};
    ParameterStrip<C> scale_strip;
    ParameterStrip<C> zero_strip;
    for (int64_t begin = first; begin < last; begin += kStrip) {
      const int64_t count = std::min(kStrip, last - begin);
      LoadElements<C>(x.dtype(), x.raw_data(), begin, count, values);
      const C* offsets =
          zeros.defined() ? zero_strip.Next(granularity, zeros, begin, count) : zero_strip.values;
      const C* factors = scale_strip.Next(granularity, scales, begin, count);
      const bool in_place = output == kDTypeOf<C> && count == kStrip;
      C* to = in_place ? y.mutable_data<C>() + begin : values;
      for (int64_t i = 0; i < kStrip; ++i) to[i] = (values[i] - offsets[i]) * factors[i];
      if (in_place) continue;
      StoreElements<C>(output, values, count, out, begin);
    }
  });
  return y;
}

}  // namespace

absl::StatusOr<Tensor> QuantizeTensor(const KernelContext& ctx, const Tensor& x,
                                      const Tensor& scale, const Tensor* zero_point,
                                      const QuantizeOptions& options) {
  const bool wide = x.dtype() == DType::kDouble || scale.dtype() == DType::kDouble ||
                    scale.dtype() == DType::kInt32 || options.precision == DType::kDouble;
  return wide ? QuantizeIn<double>(ctx, x, scale, zero_point, options)
              : QuantizeIn<float>(ctx, x, scale, zero_point, options);
}

absl::StatusOr<Tensor> DequantizeTensor(const KernelContext& ctx, const Tensor& x,
                                        const Tensor& scale, const Tensor* zero_point,
                                        const QuantizationAxis& granularity, DType output) {
  return DispatchFloat(output, [&]<typename C>() {
    return DequantizeIn<C>(ctx, x, scale, zero_point, granularity, output);
  });
}

template <typename C>
absl::StatusOr<std::vector<C>> PerChannelInput(const KernelContext& ctx, int index,
                                               int64_t channels) {
  OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, ctx.Input(index)));
  const absl::Span<const C> values = loaded.AsSpan<C>();
  if (values.size() == 1) return std::vector<C>(static_cast<size_t>(channels), values[0]);
  if (loaded.rank() != 1 || loaded.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ", loaded.TypeString(),
                                                   ", but there are ", channels,
                                                   " output channels"));
  }
  return std::vector<C>(values.begin(), values.end());
}

template absl::StatusOr<std::vector<double>> PerChannelInput(const KernelContext&, int, int64_t);
template absl::StatusOr<std::vector<int64_t>> PerChannelInput(const KernelContext&, int, int64_t);

absl::StatusOr<std::vector<int16_t>> ZeroPointsInput(const KernelContext& ctx, int index,
                                                     int64_t channels) {
  OC_ASSIGN_OR_RETURN(const auto zeros, PerChannelInput<int64_t>(ctx, index, channels));
  return std::vector<int16_t>(zeros.begin(), zeros.end());
}

absl::StatusOr<DType> DTypeFromNumber(int64_t number) {
  if (number < 0 || number >= kNumDTypes) {
    return absl::InvalidArgumentError(absl::StrCat(number, " is no element type"));
  }
  return static_cast<DType>(number);
}

Requantization::Requantization(DType dtype, int64_t zero_point)
    : zero_point_(static_cast<int32_t>(zero_point)),
      low_(static_cast<double>(IntegerMin(dtype) - zero_point)),
      high_(static_cast<double>(IntegerMax(dtype) - zero_point)) {}

// Whole strips: a fixed count is what the compiler vectorises.
void Requantization::StoreStrip(const double* values, int64_t count, std::byte* out) const {
  alignas(64) int32_t whole[kStrip];
  alignas(64) uint8_t bytes[kStrip];
  for (int i = 0; i < kStrip; ++i) {
    double x = values[i];
    x = x > low_ ? x : low_;
    x = x < high_ ? x : high_;
    whole[i] = static_cast<int32_t>(std::nearbyint(x)) + zero_point_;
  }
  for (int i = 0; i < kStrip; ++i) bytes[i] = static_cast<uint8_t>(whole[i]);
  std::copy_n(reinterpret_cast<const std::byte*>(bytes), count, out);
}

void Requantization::Store(const int32_t* sums, int64_t count, double scale, const double* scales,
                           std::byte* out) const {
  alignas(64) int32_t part[kStrip] = {};
  alignas(64) double factors[kStrip] = {};
  alignas(64) double values[kStrip];
  for (int64_t begin = 0; begin < count; begin += kStrip) {
    const int64_t n = std::min<int64_t>(kStrip, count - begin);
    std::copy_n(sums + begin, n, part);
    std::copy_n(scales + begin, n, factors);
    for (int i = 0; i < kStrip; ++i) values[i] = part[i] * (scale * factors[i]);
    StoreStrip(values, n, out + begin);
  }
}

void Requantization::Store(const int32_t* sums, int64_t count, int32_t offset, double scale,
                           std::byte* out) const {
  alignas(64) uint32_t part[kStrip] = {};
  alignas(64) double values[kStrip];
  for (int64_t begin = 0; begin < count; begin += kStrip) {
    const int64_t n = std::min<int64_t>(kStrip, count - begin);
    std::copy_n(reinterpret_cast<const uint32_t*>(sums) + begin, n, part);
    for (int i = 0; i < kStrip; ++i) {
      values[i] = static_cast<int32_t>(part[i] + static_cast<uint32_t>(offset)) * scale;
    }
    StoreStrip(values, n, out + begin);
  }
}

}  // namespace onnxcmp
