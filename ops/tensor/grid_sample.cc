#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/complex_parts.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/inner_kernel.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

constexpr size_t kMaxDims = 6;  // 4^dims elements make one cubic sample

enum class Mode : uint8_t { kNearest, kLinear, kCubic };
enum class Padding : uint8_t { kZeros, kBorder, kReflection };

struct Options {
  Mode mode;
  Padding padding;
  bool align_corners;
  int64_t taps() const { return mode == Mode::kNearest ? 1 : mode == Mode::kLinear ? 2 : 4; }
};

struct Plane {
  absl::InlinedVector<int64_t, kMaxDims> sizes;
  int64_t elements;
};

// x reflected at both ends until it lies between them.
template <typename G>
G Reflect(G x, G low, G high) {
  if (x >= low && x <= high) return x;
  const G range = high - low;
  const G distance = x < low ? low - x : x - high;
  const G times = std::floor(distance / range);
  const G rest = distance - times * range;
  const bool from_near_end = std::fmod(times, G{2}) == 0;
  return (x < low) == from_near_end ? low + rest : high - rest;
}

// The element at an index that may lie outside; -1 for a zero.
template <typename G>
int64_t ElementAt(const Options& options, int64_t index, int64_t size, G low, G high) {
  if (index >= 0 && index < size) return index;
  if (options.padding == Padding::kZeros) return -1;
  if (options.padding == Padding::kReflection) {
    const G reflected = Reflect(static_cast<G>(index), low, high);
    index = reflected == reflected ? static_cast<int64_t>(reflected) : 0;  // one element: NaN
  }
  return std::clamp<int64_t>(index, 0, size - 1);
}

// The elements along one dimension that a normalized coordinate touches, and their weights.
template <typename G>
struct AxisTaps {
  std::array<int64_t, 4> elements;
  std::array<G, 4> weights;
};

template <typename G>
AxisTaps<G> TapsAt(const Options& options, G coordinate, int64_t size) {
  const auto length = static_cast<G>(size);
  const G low = options.align_corners ? G{0} : G{-0.5};
  const G high = options.align_corners ? length - 1 : length - G{0.5};
  G x = options.align_corners ? (coordinate + 1) / 2 * (length - 1)
                              : ((coordinate + 1) * length - 1) / 2;
  if (options.mode == Mode::kNearest) x = std::nearbyint(x);
  if (!(x >= low && x <= high)) {
    const bool clamps = options.padding == Padding::kBorder && options.mode != Mode::kCubic;
    if (clamps) x = std::clamp(x, G{0}, length - 1);
    if (options.padding == Padding::kReflection) x = Reflect(x, low, high);
  }
  if (x != x) x = options.padding == Padding::kZeros ? G{-4} : G{0};
  x = std::clamp(x, G{-4}, length + 4);  // farther off nothing changes

  AxisTaps<G> taps = {};
  const G floor = std::floor(x);
  const G t = x - floor;
  const auto first = static_cast<int64_t>(floor) - (options.mode == Mode::kCubic ? 1 : 0);
  for (int64_t k = 0; k < options.taps(); ++k) {
    taps.elements[static_cast<size_t>(k)] = ElementAt(options, first + k, size, low, high);
  }
  if (options.mode == Mode::kNearest) {
    taps.weights[0] = 1;
  } else if (options.mode == Mode::kLinear) {
    taps.weights = {1 - t, t};
  } else {
    const G a = G{-0.75};
    const auto outer = [&](G d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    const auto inner = [&](G d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
    taps.weights = {outer(t + 1), inner(t), inner(1 - t), outer(2 - t)};
  }
  return taps;
}

// The elements of a plane that one sample is made of; -1 for zeros. `grid` names the innermost
// dimension first.
template <typename G>
void SampleTaps(const Options& options, const Plane& plane, const G* grid, int64_t* offsets,
                G* weights) {
  const size_t dims = plane.sizes.size();
  int64_t count = 1;
  offsets[0] = 0;
  weights[0] = 1;
  for (size_t d = 0; d < dims; ++d) {
    const AxisTaps<G> taps = TapsAt(options, grid[dims - 1 - d], plane.sizes[d]);
    // Backwards, so that nothing is overwritten before it is read.
    for (int64_t i = count; i-- > 0;) {
      const int64_t offset = offsets[i];
      const G weight = weights[i];
      for (int64_t k = options.taps(); k-- > 0;) {
        const int64_t element = taps.elements[static_cast<size_t>(k)];
        offsets[i * options.taps() + k] =
            offset < 0 || element < 0 ? -1 : offset * plane.sizes[d] + element;
        weights[i * options.taps() + k] = weight * taps.weights[static_cast<size_t>(k)];
      }
    }
    count *= options.taps();
  }
}

struct Problem {
  Options options;
  Plane plane;
  int64_t channels;
  int64_t samples;  // of a batch entry
  Shape output;
};

// Samples of one batch entry and what they are made of, sample by sample.
template <typename G>
struct Block {
  int64_t entry;
  int64_t first;
  int64_t count;
  int64_t taps;
  std::vector<int64_t> offsets;
  std::vector<G> weights;
};

// Calls body(block) for all samples, on several threads.
template <typename G, typename Body>
absl::Status ForEachBlock(KernelContext& ctx, const Problem& problem, const Body& body) {
  constexpr int64_t kBlock = 256;
  OC_ASSIGN_OR_RETURN(const Tensor grid, LoadTensor<G>(ctx, ctx.Input(1)));
  const auto dims = static_cast<int64_t>(problem.plane.sizes.size());
  int64_t taps = 1;
  for (int64_t d = 0; d < dims; ++d) taps *= problem.options.taps();
  const int64_t blocks = (problem.samples + kBlock - 1) / kBlock;  // of a batch entry
  ctx.pool().ParallelFor(problem.output[0] * blocks, [&](int64_t task) {
    Block<G> block = {task / blocks, task % blocks * kBlock, 0, taps, {}, {}};
    block.count = std::min(kBlock, problem.samples - block.first);
    block.offsets.resize(static_cast<size_t>(block.count * taps));
    block.weights.resize(static_cast<size_t>(block.count * taps));
    const G* position = grid.data<G>() + (block.entry * problem.samples + block.first) * dims;
    for (int64_t i = 0; i < block.count; ++i) {
      SampleTaps(problem.options, problem.plane, position + i * dims,
                 block.offsets.data() + i * taps, block.weights.data() + i * taps);
    }
    body(block);
  });
  return absl::OkStatus();
}

template <typename C>
absl::Status Interpolate(KernelContext& ctx, const Problem& problem) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, problem.output));
  C* out = y.mutable_data<C>();
  OC_RETURN_IF_ERROR(DispatchFloat(ctx.Input(1).dtype(), [&]<typename G>() {
    return ForEachBlock<G>(ctx, problem, [&](const Block<G>& block) {
      for (int64_t c = 0; c < problem.channels; ++c) {
        const int64_t p = block.entry * problem.channels + c;
        const C* plane = x.data<C>() + p * problem.plane.elements;
        C* to = out + p * problem.samples + block.first;
        const int64_t* offset = block.offsets.data();
        const G* weight = block.weights.data();
        for (int64_t i = 0; i < block.count; ++i) {
          C sum = 0;
          for (int64_t k = 0; k < block.taps; ++k, ++offset, ++weight) {
            if (*offset >= 0) sum += static_cast<C>(*weight) * plane[*offset];
          }
          to[i] = sum;
        }
      }
    });
  }));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype, Overflow::kSaturate));
  return ctx.SetOutput(0, std::move(y));
}

// Elements of any type.
template <typename T>
void SampleElements(const Problem& problem, const std::vector<int64_t>& elements, const T* x,
                    T* y) {
  const int64_t planes = problem.output[0] * problem.channels;
  for (int64_t p = 0; p < planes; ++p, x += problem.plane.elements) {
    const int64_t* at = elements.data() + p / problem.channels * problem.samples;
    for (int64_t i = 0; i < problem.samples; ++i) *y++ = at[i] < 0 ? T() : x[at[i]];
  }
}

absl::Status TakeNearest(KernelContext& ctx, const Problem& problem) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), problem.output));
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, {problem.output[0], problem.samples}));
  std::vector<int64_t> elements(static_cast<size_t>(problem.output[0] * problem.samples));
  OC_RETURN_IF_ERROR(DispatchFloat(ctx.Input(1).dtype(), [&]<typename G>() {
    return ForEachBlock<G>(ctx, problem, [&](const Block<G>& block) {
      std::copy(block.offsets.begin(), block.offsets.end(),
                elements.begin() + block.entry * problem.samples + block.first);
    });
  }));
  const auto take = [&]<typename T>(T) {
    SampleElements(problem, elements, x.data<T>(), y.mutable_data<T>());
  };
  if (x.dtype() == DType::kString) {
    SampleElements(problem, elements, x.string_data(), y.mutable_string_data());
  } else if (const int bits = BitWidth(x.dtype()); bits == 8) {
    take(uint8_t{});
  } else if (bits == 16) {
    take(uint16_t{});
  } else if (bits == 32) {
    take(uint32_t{});
  } else if (bits == 64) {
    take(uint64_t{});
  } else {
    take(std::array<uint64_t, 2>{});
  }
  return ctx.SetOutput(0, std::move(y));
}

absl::StatusOr<Problem> Plan(const Options& options, const Tensor& x, const Tensor& grid) {
  const bool fits = x.rank() >= 3 && grid.rank() == x.rank() && grid.dim(0) == x.dim(0) &&
                    grid.dim(grid.rank() - 1) == x.rank() - 2;
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must be N x C x D1 ... Dr and grid N x O1 ... Or x r, not ", x.TypeString(),
                     " and ", grid.TypeString()));
  }
  Problem problem = {options, {{}, 1}, x.dim(1), 1, {x.dim(0), x.dim(1)}};
  for (int i = 2; i < x.rank(); ++i) {
    problem.plane.sizes.push_back(x.dim(i));
    problem.plane.elements *= x.dim(i);
    problem.samples *= grid.dim(i - 1);
    problem.output.push_back(grid.dim(i - 1));
  }
  if (problem.plane.sizes.size() > kMaxDims) {
    return absl::UnimplementedError(absl::StrCat(
        problem.plane.sizes.size(), " spatial dimensions; at most ", kMaxDims, " are supported"));
  }
  return problem;
}

// Complex elements: their parts as two channels.
absl::Status SampleParts(KernelContext& ctx, const Kernel& sample) {
  OC_ASSIGN_OR_RETURN(Tensor parts, PartsOf(ctx, ctx.Input(0)));
  if (parts.rank() < 4) {
    return absl::InvalidArgumentError(absl::StrCat("X is ", ctx.Input(0).TypeString()));
  }
  // (N, C, D..., 2) as (N, C, 2, D...), as (N, 2 C, D...).
  std::vector<int64_t> perm(parts.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin() + 2, perm.end() - 1, perm.end());
  OC_ASSIGN_OR_RETURN(parts, ctx.Contiguous(Permuted(parts, perm)));
  Shape shape = parts.shape();
  const int64_t channels = shape[1];
  shape.erase(shape.begin() + 1);
  shape[1] = 2 * channels;
  OC_ASSIGN_OR_RETURN(const std::vector<Value> y,
                      RunInner(ctx, sample, {parts.Reshaped(shape), ctx.Input(1)}));
  shape = y[0].tensor().shape();
  shape[1] = 2;
  shape.insert(shape.begin() + 1, channels);
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin() + 2, perm.begin() + 3, perm.end());
  OC_ASSIGN_OR_RETURN(Tensor result, FromParts(ctx, Permuted(y[0].tensor().Reshaped(shape), perm)));
  return ctx.SetOutput(0, std::move(result));
}

// GridSample (ai.onnx 16, 20, 22; com.microsoft 1): Y[n, :, o] = X[n] interpolated at the position
// grid[n, o], whose coordinates are in [-1, 1] from end to end, innermost dimension first. Elements
// outside of X are zeros, border elements or reflections; positions outside are reflected too, and
// but for cubic, as in PyTorch and onnxruntime, clamped to the border. Nearest rounds halves to
// even and moves elements of any type; integers are computed in double and truncated. A coordinate
// that is NaN is outside, or at the first element.
absl::StatusOr<Kernel> GridSample(const KernelInit& node) {
  const std::string mode = node.String("mode");
  const std::string padding = node.String("padding_mode");
  const bool has_old_names = node.version() <= 16;  // com.microsoft 1 too
  Options options = {};
  if (mode == "nearest") {
    options.mode = Mode::kNearest;
  } else if (mode == (has_old_names ? "bilinear" : "linear")) {
    options.mode = Mode::kLinear;
  } else if (mode == (has_old_names ? "bicubic" : "cubic")) {
    options.mode = Mode::kCubic;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("mode \"", mode, "\""));
  }
  if (padding == "zeros") {
    options.padding = Padding::kZeros;
  } else if (padding == "border") {
    options.padding = Padding::kBorder;
  } else if (padding == "reflection") {
    options.padding = Padding::kReflection;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("padding_mode \"", padding, "\""));
  }
  options.align_corners = node.Flag("align_corners");
  const Kernel sample = [options](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const Problem problem, Plan(options, x, ctx.Input(1)));
    OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), problem.output));
    if (*NumElements(problem.output) == 0) {
      OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), problem.output));
      return ctx.SetOutput(0, std::move(y));
    }
    if (problem.plane.elements == 0) {
      return absl::InvalidArgumentError(absl::StrCat("X is ", x.TypeString(), ", which is empty"));
    }
    if (options.mode == Mode::kNearest) return TakeNearest(ctx, problem);
    // Integers and booleans are computed in double.
    if (IsInteger(x.dtype()) || x.dtype() == DType::kBool) return Interpolate<double>(ctx, problem);
    return Dispatch<Floats>(x.dtype(), [&]<typename C>() { return Interpolate<C>(ctx, problem); });
  };
  return [options, sample](KernelContext& ctx) {
    const bool in_parts = IsComplex(ctx.Input(0).dtype()) && options.mode != Mode::kNearest;
    return in_parts ? SampleParts(ctx, sample) : sample(ctx);
  };
}

}  // namespace

void RegisterGridSample(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GridSample", {16, 20, 22}, GridSample);
  registry.Add(kMicrosoftDomain, "GridSample", {1}, GridSample);
}

}  // namespace onnxcmp
