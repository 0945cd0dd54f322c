#include "ops/common/reduction/lanes.h"

#include <algorithm>
#include <vector>

#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// Strided lanes are handled this many neighbours at a time: a cache line of floats.
constexpr int64_t kTile = 16;

int64_t Product(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    product *= dim;
  }
  return product;
}

// Contiguous lanes, storage in C or not.
template <typename C>
void TransformContiguous(const Tensor& in, int64_t length, int64_t begin, int64_t end,
                         std::byte* out, absl::FunctionRef<void(int64_t, const C*, C*)> body) {
  if (in.dtype() == kDTypeOf<C>) {
    const C* x = in.data<C>();
    C* y = reinterpret_cast<C*>(out);
    for (int64_t lane = begin; lane < end; ++lane) {
      body(lane, x + lane * length, y + lane * length);
    }
    return;
  }
  std::vector<C> x(static_cast<size_t>(length));
  std::vector<C> y(static_cast<size_t>(length));
  for (int64_t lane = begin; lane < end; ++lane) {
    LoadElements(in.dtype(), in.raw_data(), lane * length, length, x.data());
    body(lane, x.data(), y.data());
    StoreElements(in.dtype(), y.data(), length, out, lane * length);
  }
}

// Lanes whose elements lie `inner` apart: tiles of neighbouring lanes are gathered, so that memory
// is read and written along the rows.
template <typename C>
void TransformStrided(const Tensor& in, const LaneShape& lanes, int64_t begin_tile,
                      int64_t end_tile, std::byte* out,
                      absl::FunctionRef<void(int64_t, const C*, C*)> body) {
  const int64_t length = lanes.length;
  const int64_t inner = lanes.inner;
  const int64_t tiles_per_row = (inner + kTile - 1) / kTile;
  // A cache line more than needed between gathered lanes: at a power of two they would all compete
  // for the same places of the cache.
  const int64_t stride = (length + kTile - 1) / kTile * kTile + kTile;
  const size_t size = static_cast<size_t>(std::min(kTile, inner) * stride);
  std::vector<C> gathered(size);
  std::vector<C> results(size);
  C* x = gathered.data();
  C* y = results.data();
  const bool is_stored_as_c = in.dtype() == kDTypeOf<C>;
  C loaded[kTile];
  for (int64_t tile = begin_tile; tile < end_tile; ++tile) {
    const int64_t outer = tile / tiles_per_row;
    const int64_t column = tile % tiles_per_row * kTile;
    const int64_t width = std::min(kTile, inner - column);
    const int64_t first = outer * length * inner + column;
    for (int64_t k = 0; k < length; ++k) {
      const C* row = loaded;
      if (is_stored_as_c) {
        row = in.data<C>() + first + k * inner;
      } else {
        LoadElements(in.dtype(), in.raw_data(), first + k * inner, width, loaded);
      }
      for (int64_t t = 0; t < width; ++t) {
        x[t * stride + k] = row[t];
      }
    }
    for (int64_t t = 0; t < width; ++t) {
      body(outer * inner + column + t, x + t * stride, y + t * stride);
    }
    for (int64_t k = 0; k < length; ++k) {
      C* row = is_stored_as_c ? reinterpret_cast<C*>(out) + first + k * inner : loaded;
      for (int64_t t = 0; t < width; ++t) {
        row[t] = y[t * stride + k];
      }
      if (!is_stored_as_c) {
        StoreElements(in.dtype(), loaded, width, out, first + k * inner);
      }
    }
  }
}

}  // namespace

LaneShape LanesAlong(absl::Span<const int64_t> shape, int axis) {
  const size_t at = static_cast<size_t>(axis);
  return {Product(shape.subspan(0, at)), shape[at], Product(shape.subspan(at + 1))};
}

LaneShape LanesFrom(absl::Span<const int64_t> shape, int axis) {
  const size_t at = static_cast<size_t>(axis);
  return {Product(shape.subspan(0, at)), Product(shape.subspan(at)), 1};
}

int64_t LaneGrain(int64_t length, int64_t work) {
  constexpr int64_t kTaskWork = int64_t{1} << 16;
  return std::max<int64_t>(1, kTaskWork / work / std::max<int64_t>(1, length));
}

template <typename C>
void TransformLanes(const ThreadPool& pool, const Tensor& in, const LaneShape& lanes, Tensor& out,
                    absl::FunctionRef<void(int64_t lane, const C* x, C* y)> body) {
  constexpr int64_t kWork = 4;  // a lane is read a few times
  if (lanes.lanes() == 0 || lanes.length == 0) {
    return;
  }
  std::byte* to = out.mutable_raw_data();
  if (lanes.inner == 1) {
    pool.ParallelRanges(lanes.outer, LaneGrain(lanes.length, kWork),
                        [&](int64_t begin, int64_t end) {
                          TransformContiguous<C>(in, lanes.length, begin, end, to, body);
                        });
    return;
  }
  const int64_t tiles = lanes.outer * ((lanes.inner + kTile - 1) / kTile);
  pool.ParallelRanges(
      tiles, LaneGrain(lanes.length * kTile, kWork),
      [&](int64_t begin, int64_t end) { TransformStrided<C>(in, lanes, begin, end, to, body); });
}

template void TransformLanes<float>(const ThreadPool&, const Tensor&, const LaneShape&, Tensor&,
                                    absl::FunctionRef<void(int64_t, const float*, float*)>);
template void TransformLanes<double>(const ThreadPool&, const Tensor&, const LaneShape&, Tensor&,
                                     absl::FunctionRef<void(int64_t, const double*, double*)>);

}  // namespace onnxcmp
