#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

// A choice between integers without a branch, which would be unpredictable.
template <typename T>
T Either(bool first, const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(y ^ ((x ^ y) & (T{0} - T{first})));
  } else {
    return first ? x : y;
  }
}

// The strides of x and y are constants where the compiler is to vectorize the loop.
template <int64_t kX, int64_t kY, typename T>
void ChooseRun(const uint8_t* __restrict chosen, const T* __restrict x, const T* __restrict y,
               int64_t count, T* __restrict out) {
  for (int64_t i = 0; i < count; ++i) out[i] = Either(chosen[i] != 0, x[i * kX], y[i * kY]);
}

template <typename T>
void Choose(const Tensor& condition, const T* x, StridedRuns x_runs, const T* y, StridedRuns y_runs,
            absl::Span<const int64_t> shape, int64_t begin, int64_t end, T* out) {
  const uint8_t* chosen = condition.data<uint8_t>();
  StridedRuns condition_runs(shape, BroadcastStrides(condition, shape));
  condition_runs.Seek(begin);
  x_runs.Seek(begin);
  y_runs.Seek(begin);
  StridedRuns::Run c{}, a{}, b{};
  const auto refill = [&](StridedRuns& runs, StridedRuns::Run& run, int64_t limit) {
    if (run.count == 0) {
      run = runs.Next(limit);
    }
  };
  const auto skip = [](StridedRuns::Run& run, int64_t count) {
    run.offset += count * run.stride;
    run.count -= count;
  };
  for (int64_t at = begin; at < end;) {
    refill(condition_runs, c, end - at);
    refill(x_runs, a, end - at);
    refill(y_runs, b, end - at);
    const int64_t count = std::min({c.count, a.count, b.count});
    const uint8_t* first = chosen + c.offset;
    const T* from_x = x + a.offset;
    const T* from_y = y + b.offset;
    T* to = out + at;
    if (c.stride == 1 && a.stride == 1 && b.stride == 1) {
      ChooseRun<1, 1>(first, from_x, from_y, count, to);
    } else if (c.stride == 1 && a.stride == 1 && b.stride == 0) {
      ChooseRun<1, 0>(first, from_x, from_y, count, to);
    } else if (c.stride == 1 && a.stride == 0 && b.stride == 1) {
      ChooseRun<0, 1>(first, from_x, from_y, count, to);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        to[i] = Either(first[i * c.stride] != 0, from_x[i * a.stride], from_y[i * b.stride]);
      }
    }
    skip(c, count);
    skip(a, count);
    skip(b, count);
    at += count;
  }
}

// Elements are moved, not computed with: their size is all that matters.
struct Bytes16 {
  uint64_t halves[2];
};

// Where (ai.onnx 9, 16): output = condition ? X : Y, all three broadcast.
absl::Status Where(KernelContext& ctx) {
  const Tensor& condition = ctx.Input(0);
  const Tensor& x = ctx.Input(1);
  const Tensor& y = ctx.Input(2);
  const std::array<const Tensor*, 3> inputs = {&condition, &x, &y};
  OC_ASSIGN_OR_RETURN(Shape shape, BroadcastShapes(inputs));
  OC_ASSIGN_OR_RETURN(Tensor output, ctx.Allocate(x.dtype(), shape));
  const int64_t elements = output.num_elements();
  if (elements == 0) {
    return ctx.SetOutput(0, std::move(output));
  }
  const StridedRuns x_runs(shape, BroadcastStrides(x, shape));
  const StridedRuns y_runs(shape, BroadcastStrides(y, shape));
  const auto choose = [&](const auto* x_data, const auto* y_data, auto* out) {
    ctx.pool().ParallelRanges(elements, int64_t{1} << 15, [&](int64_t begin, int64_t end) {
      Choose(condition, x_data, x_runs, y_data, y_runs, shape, begin, end, out);
    });
  };
  const auto choose_as = [&](auto element) {
    using T = decltype(element);
    choose(x.data<T>(), y.data<T>(), output.mutable_data<T>());
  };
  switch (BitWidth(x.dtype())) {
    case 0:
      choose(x.string_data(), y.string_data(), output.mutable_string_data());
      break;
    case 8:
      choose_as(uint8_t{});
      break;
    case 16:
      choose_as(uint16_t{});
      break;
    case 32:
      choose_as(uint32_t{});
      break;
    case 64:
      choose_as(uint64_t{});
      break;
    case 128:
      choose_as(Bytes16{});
      break;
    default:
      return NoComputeClass(x.dtype());
  }
  return ctx.SetOutput(0, std::move(output));
}

}  // namespace

void RegisterWhere(OpRegistry& registry) { registry.Add(kOnnxDomain, "Where", {9, 16}, Where); }

}  // namespace onnxcmp
