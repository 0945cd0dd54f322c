#include "ops/contrib/attention/attention_cache.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// Copies the rows of entry `batch` of `from` to the rows from `row` on.
void PutRows(const KernelContext& ctx, const Tensor& from, int64_t batch, int64_t row,
             Tensor* cache) {
  const Shape strides = cache->strides();
  CopyIntoBlock(Narrowed(from, 0, batch, 1), strides, batch * strides[0] + row * strides[2],
                ctx.pool(), cache);
}

// Sets the rows from `row` on of entry `batch` to zero.
void ClearRows(int64_t batch, int64_t row, Tensor* cache) {
  const int64_t bytes = BitWidth(cache->dtype()) / 8;
  const Shape strides = cache->strides();
  std::byte* data = cache->mutable_raw_data();
  const auto size = static_cast<size_t>((cache->dim(2) - row) * strides[2] * bytes);
  for (int64_t head = 0; size > 0 && head < cache->dim(1); ++head) {
    std::memset(data + (batch * strides[0] + head * strides[1] + row * strides[2]) * bytes, 0,
                size);
  }
}

// The scale of each channel of `head`, or nothing if there is one scale for all.
const float* ChannelScales(const CacheFormat& format, int64_t head, int64_t head_size) {
  return format.scale.num_elements() == 1 ? nullptr : format.scale.data<float>() + head * head_size;
}

float ScaleOf(const CacheFormat& format, const float* channels, int64_t channel) {
  return channels == nullptr ? *format.scale.data<float>() : channels[channel];
}

// round(x / scale), saturated, as an integer of `bits` bits.
int QuantizedTo(int bits, float x, float scale) {
  const float high = static_cast<float>((1 << (bits - 1)) - 1);
  const float q = std::nearbyint(x / scale);
  return q >= high        ? static_cast<int>(high)
         : q >= -high - 1 ? static_cast<int>(q)
                          : static_cast<int>(-high - 1);
}

void QuantizeRow(const CacheFormat& format, const float* channels, const float* x, int64_t count,
                 std::byte* out) {
  if (format.is_packed) {
    for (int64_t i = 0; i < count; i += 2) {
      const int low = QuantizedTo(4, x[i], ScaleOf(format, channels, i)) + 8;
      const int high =
          i + 1 < count ? QuantizedTo(4, x[i + 1], ScaleOf(format, channels, i + 1)) + 8 : 0;
      out[i / 2] = static_cast<std::byte>(low | high << 4);
    }
  } else if (format.dtype == DType::kInt8) {
    for (int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::byte>(QuantizedTo(8, x[i], ScaleOf(format, channels, i)));
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const float scaled = x[i] / ScaleOf(format, channels, i);
      StoreElements(format.dtype, &scaled, 1, out, i, Overflow::kSaturate);
    }
  }
}

template <typename C>
void DequantizeRow(const CacheFormat& format, const float* channels, const std::byte* x,
                   int64_t count, C* out) {
  if (format.is_packed) {
    for (int64_t i = 0; i < count; ++i) {
      const int byte = std::to_integer<int>(x[i / 2]);
      out[i] = static_cast<C>((i % 2 == 0 ? byte & 15 : byte >> 4) - 8);
    }
  } else {
    LoadElements(format.dtype, x, 0, count, out);
  }
  for (int64_t i = 0; i < count; ++i) out[i] *= static_cast<C>(ScaleOf(format, channels, i));
}

}  // namespace

absl::StatusOr<Tensor> ExtendedCache(const KernelContext& ctx, const Tensor* past,
                                     absl::Span<const CacheRows> kept, const Tensor& fresh,
                                     int64_t rows) {
  OC_ASSIGN_OR_RETURN(
      Tensor cache, ctx.Allocate(fresh.dtype(), {fresh.dim(0), fresh.dim(1), rows, fresh.dim(3)}));
  for (int64_t b = 0; b < fresh.dim(0); ++b) {
    const CacheRows old = kept[static_cast<size_t>(b)];
    if (old.count > 0) PutRows(ctx, Narrowed(*past, 2, old.first, old.count), b, 0, &cache);
    const int64_t added = std::min(fresh.dim(2), rows - old.count);
    PutRows(ctx, Narrowed(fresh, 2, 0, added), b, old.count, &cache);
    ClearRows(b, old.count + added, &cache);
  }
  return cache;
}

absl::StatusOr<Tensor> ReplacedRows(const KernelContext& ctx, const Tensor& past,
                                    const Tensor& fresh, absl::Span<const int64_t> at) {
  for (int64_t row : at) {
    if (row < 0 || row > past.dim(2) - fresh.dim(2)) {
      return absl::InvalidArgumentError(absl::StrCat(fresh.dim(2), " new rows after ", row,
                                                     " do not fit into a cache of ", past.dim(2)));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor cache, ctx.Allocate(past.dtype(), past.shape()));
  const Shape strides = cache.strides();
  CopyIntoBlock(past, strides, 0, ctx.pool(), &cache);
  if (at.size() == 1) {
    CopyIntoBlock(fresh, strides, at[0] * strides[2], ctx.pool(), &cache);
  } else {
    for (size_t b = 0; b < at.size(); ++b) {
      PutRows(ctx, fresh, static_cast<int64_t>(b), at[b], &cache);
    }
  }
  return cache;
}

absl::StatusOr<Tensor> WithIndirection(const KernelContext& ctx, const Tensor& cache,
                                       const Tensor& indirection, int64_t rows) {
  const int64_t batch = cache.dim(0);
  if (indirection.rank() != 3 || indirection.dim(1) < 1 ||
      indirection.dim(0) > batch / indirection.dim(1) ||
      indirection.dim(0) * indirection.dim(1) != batch || indirection.dim(2) < rows) {
    return absl::InvalidArgumentError(
        absl::StrCat("cache_indirection has shape [", ShapeToString(indirection.shape()),
                     "], expected beams of ", batch, " in all, and at least ", rows, " positions"));
  }
  if (rows == 0) return cache;
  const int64_t beams = indirection.dim(1);
  OC_ASSIGN_OR_RETURN(const Tensor from, ctx.Contiguous(indirection));
  OC_ASSIGN_OR_RETURN(const Tensor source, ctx.Contiguous(cache));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(cache.dtype(), cache.shape()));
  CopyIntoBlock(source, result.strides(), 0, ctx.pool(), &result);
  const Shape strides = source.strides();
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<int64_t> numbers(static_cast<size_t>(rows));
    LoadElements(from.dtype(), from.raw_data(), b * from.dim(2), rows, numbers.data());
    for (int64_t t = 0; t < rows; ++t) {
      const int64_t beam = numbers[static_cast<size_t>(t)];
      if (beam < 0 || beam >= beams) {
        return absl::InvalidArgumentError(
            absl::StrCat("cache_indirection names beam ", beam, " of ", beams));
      }
      const Tensor row = Narrowed(Narrowed(source, 0, b / beams * beams + beam, 1), 2, t, 1);
      CopyIntoBlock(row, strides, b * strides[0] + t * strides[2], ctx.pool(), &result);
    }
  }
  return result;
}

absl::Status CheckQuantizationKind(absl::string_view attribute, absl::string_view kind) {
  if (kind == "NONE" || kind == "PER_TENSOR" || kind == "PER_CHANNEL") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(attribute, " \"", kind, "\" is none of NONE, PER_TENSOR, PER_CHANNEL"));
}

absl::StatusOr<CacheFormat> CacheFormatOf(const KernelContext& ctx, absl::string_view name,
                                          absl::string_view kind, DType dtype, int64_t bit_width,
                                          int scale_input, int64_t heads, int64_t head_size) {
  CacheFormat format;
  format.dtype = dtype;
  const bool is_int8 = dtype == DType::kInt8 && (bit_width == 8 || bit_width == 0);
  const bool is_float8 = dtype == DType::kFloat8E4M3FN && (bit_width == 8 || bit_width == 0);
  format.is_packed = dtype == DType::kUint8 && bit_width == 4;
  format.is_quantized = is_int8 || is_float8 || format.is_packed;
  const bool is_narrow = BitWidth(dtype) == 8;
  if (is_narrow && !format.is_quantized) {
    return absl::UnimplementedError(
        absl::StrCat("a cache of ", DTypeName(dtype), " with kv_cache_bit_width ", bit_width));
  }
  if ((kind != "NONE") != format.is_quantized) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, "_quant_type ", kind, " does not go with a cache of ", DTypeName(dtype)));
  }
  if (ctx.HasInput(scale_input) != format.is_quantized) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, "_scale and ", name, "_quant_type come together or not"));
  }
  if (!format.is_quantized) return format;
  OC_ASSIGN_OR_RETURN(format.scale, LoadTensor<float>(ctx, ctx.Input(scale_input)));
  const int64_t wanted = kind == "PER_TENSOR" ? 1 : heads * head_size;
  if (format.scale.num_elements() != wanted) {
    return absl::InvalidArgumentError(absl::StrCat(name, "_scale has shape [",
                                                   ShapeToString(format.scale.shape()), "], not ",
                                                   wanted, " elements for ", kind));
  }
  return format;
}

absl::StatusOr<Tensor> ToCache(const KernelContext& ctx, const Tensor& x,
                               const CacheFormat& format) {
  if (x.dtype() == format.dtype) return x;
  if (!format.is_quantized) {
    OC_ASSIGN_OR_RETURN(const Tensor exact, LoadTensor<double>(ctx, x));
    return StoreTensor<double>(ctx, exact, format.dtype);
  }
  const int64_t size = x.dim(3);
  const int64_t stored = format.is_packed ? (size + 1) / 2 : size;
  OC_ASSIGN_OR_RETURN(const Tensor values, LoadTensor<float>(ctx, x));
  OC_ASSIGN_OR_RETURN(Tensor out,
                      ctx.Allocate(format.dtype, {x.dim(0), x.dim(1), x.dim(2), stored}));
  const float* from = values.data<float>();
  std::byte* to = out.mutable_raw_data();
  const int64_t rows = x.dim(0) * x.dim(1) * x.dim(2);
  ctx.pool().ParallelRanges(rows, LaneGrain(size, 4), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* channels = ChannelScales(format, row / x.dim(2) % x.dim(1), size);
      QuantizeRow(format, channels, from + row * size, size, to + row * stored);
    }
  });
  return out;
}

template <typename C>
absl::StatusOr<Tensor> FromCache(const KernelContext& ctx, const Tensor& cache,
                                 const CacheFormat& format) {
  if (!format.is_quantized) return LoadStridedTensor<C>(ctx, cache);
  const int64_t stored = cache.dim(3);
  const int64_t size = format.is_packed ? 2 * stored : stored;
  OC_ASSIGN_OR_RETURN(const Tensor bytes, ctx.Contiguous(cache));
  OC_ASSIGN_OR_RETURN(Tensor out,
                      ctx.Allocate(kDTypeOf<C>, {cache.dim(0), cache.dim(1), cache.dim(2), size}));
  C* to = out.mutable_data<C>();
  const int64_t rows = cache.dim(0) * cache.dim(1) * cache.dim(2);
  ctx.pool().ParallelRanges(rows, LaneGrain(size, 4), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* channels = ChannelScales(format, row / cache.dim(2) % cache.dim(1), size);
      DequantizeRow(format, channels, bytes.raw_data() + row * stored, size, to + row * size);
    }
  });
  return out;
}
template absl::StatusOr<Tensor> FromCache<float>(const KernelContext&, const Tensor&,
                                                 const CacheFormat&);
template absl::StatusOr<Tensor> FromCache<double>(const KernelContext&, const Tensor&,
                                                  const CacheFormat&);

}  // namespace onnxcmp
