#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
struct Problem {
  ConvolutionShape shape;
  Tensor dy, x, w;
  int64_t image = 1;  // elements of one channel of X
  int64_t taps = 1;
  int64_t windows = 1;
  Tensor source;  // int64: the image's element that (window, tap) reads, -1 in the padding

  int64_t out_channels() const { return shape.groups * shape.out_channels; }
  const C* gradient(int64_t n, int64_t out) const {
    return dy.data<C>() + (n * out_channels() + out) * windows;
  }
  // Channel c of a group.
  const C* weights(int64_t out, int64_t c) const {
    return w.data<C>() + (out * shape.in_channels + c) * taps;
  }
  int64_t image_index(int64_t n, int64_t group, int64_t c) const {
    return (n * shape.groups + group) * shape.in_channels + c;
  }
};

template <typename C>
absl::StatusOr<Problem<C>> MakeProblem(const KernelContext& ctx, const ConvAttributes& attributes) {
  OC_ASSIGN_OR_RETURN(ConvPlan plan,
                      PlanConv(attributes, ctx.Input(1), ctx.Input(2), /*bias=*/nullptr));
  if (ctx.Input(0).shape() != plan.output) {
    return absl::InvalidArgumentError(absl::StrCat("dY is ", ctx.Input(0).TypeString(),
                                                   ", but Y has shape [",
                                                   ShapeToString(plan.output), "]"));
  }
  Problem<C> problem;
  problem.shape = plan.shape;
  OC_ASSIGN_OR_RETURN(problem.dy, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(problem.x, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(problem.w, LoadTensor<C>(ctx, ctx.Input(2)));
  const Windows& dims = plan.shape.windows;
  for (const WindowDim& dim : dims) problem.image *= dim.input;
  problem.taps = NumTaps(dims);
  problem.windows = NumOutputs(dims);
  OC_ASSIGN_OR_RETURN(problem.source, ctx.Allocate(DType::kInt64, {problem.windows, problem.taps}));
  auto* source = problem.source.template mutable_data<int64_t>();
  for (int64_t window = 0; window < problem.windows; ++window) {
    for (int64_t tap = 0; tap < problem.taps; ++tap) {
      int64_t element = 0;
      int64_t stride = 1;
      int64_t window_rest = window;
      int64_t tap_rest = tap;
      for (size_t d = dims.size(); d-- > 0;) {
        const WindowDim& dim = dims[d];
        const int64_t at = window_rest % dim.output * dim.stride - dim.pad_begin +
                           tap_rest % dim.kernel * dim.dilation;
        window_rest /= dim.output;
        tap_rest /= dim.kernel;
        element = element < 0 || at < 0 || at >= dim.input ? -1 : element + at * stride;
        stride *= dim.input;
      }
      *source++ = element;
    }
  }
  return problem;
}

// dX[n, c, i] = sum of dY[n, m, window] * W[m, c, tap] over what reads element i.
template <typename C>
void InputGradient(const ThreadPool& pool, const Problem<C>& problem, C* dx) {
  const ConvolutionShape& shape = problem.shape;
  const auto* source = problem.source.template data<int64_t>();
  pool.ParallelRanges(
      shape.batch * shape.groups * shape.in_channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) {
          const int64_t c = plane % shape.in_channels;
          const int64_t group = plane / shape.in_channels % shape.groups;
          const int64_t n = plane / shape.in_channels / shape.groups;
          std::vector<double> sums(static_cast<size_t>(problem.image), 0);
          for (int64_t m = 0; m < shape.out_channels; ++m) {
            const int64_t out = group * shape.out_channels + m;
            const C* gradient = problem.gradient(n, out);
            const C* weights = problem.weights(out, c);
            for (int64_t i = 0; i < problem.windows * problem.taps; ++i) {
              if (source[i] < 0) continue;
              sums[static_cast<size_t>(source[i])] +=
                  double{gradient[i / problem.taps]} * double{weights[i % problem.taps]};
            }
          }
          for (int64_t i = 0; i < problem.image; ++i) {
            dx[plane * problem.image + i] = static_cast<C>(sums[static_cast<size_t>(i)]);
          }
        }
      });
}

// dW[m, c, tap] = sum of dY[n, m, window] * X[n, c, what the tap reads].
template <typename C>
void WeightGradient(const ThreadPool& pool, const Problem<C>& problem, C* dw) {
  const ConvolutionShape& shape = problem.shape;
  const auto* source = problem.source.template data<int64_t>();
  pool.ParallelRanges(
      problem.out_channels() * shape.in_channels, 1, [&](int64_t begin, int64_t end) {
        for (int64_t pair = begin; pair < end; ++pair) {
          const int64_t c = pair % shape.in_channels;
          const int64_t out = pair / shape.in_channels;
          std::vector<double> sums(static_cast<size_t>(problem.taps), 0);
          for (int64_t n = 0; n < shape.batch; ++n) {
            const C* gradient = problem.gradient(n, out);
            const C* image = problem.x.template data<C>() +
                             problem.image_index(n, out / shape.out_channels, c) * problem.image;
            for (int64_t i = 0; i < problem.windows * problem.taps; ++i) {
              if (source[i] < 0) continue;
              sums[static_cast<size_t>(i % problem.taps)] +=
                  double{gradient[i / problem.taps]} * double{image[source[i]]};
            }
          }
          for (int64_t tap = 0; tap < problem.taps; ++tap) {
            dw[pair * problem.taps + tap] = static_cast<C>(sums[static_cast<size_t>(tap)]);
          }
        }
      });
}

template <typename C>
absl::Status Run(KernelContext& ctx, const ConvAttributes& attributes) {
  OC_ASSIGN_OR_RETURN(const Problem<C> problem, MakeProblem<C>(ctx, attributes));
  const DType dtype = ctx.Input(0).dtype();
  const auto emit = [&](int output, const Shape& shape, const auto& fill) -> absl::Status {
    if (!ctx.HasOutput(output)) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(Tensor gradient, ctx.Allocate(kDTypeOf<C>, shape));
    if (gradient.num_elements() > 0) fill(gradient.mutable_data<C>());
    OC_ASSIGN_OR_RETURN(gradient, StoreTensor<C>(ctx, gradient, dtype));
    return ctx.SetOutput(output, std::move(gradient));
  };
  OC_RETURN_IF_ERROR(
      emit(0, problem.x.shape(), [&](C* dx) { InputGradient(ctx.pool(), problem, dx); }));
  OC_RETURN_IF_ERROR(
      emit(1, problem.w.shape(), [&](C* dw) { WeightGradient(ctx.pool(), problem, dw); }));
  return emit(2, {problem.out_channels()}, [&](C* db) {
    for (int64_t out = 0; out < problem.out_channels(); ++out) {
      db[out] = 0;
      for (int64_t n = 0; n < problem.shape.batch; ++n) {
        db[out] += LaneSum(problem.gradient(n, out), problem.windows);
      }
    }
  });
}

// ConvGrad (com.microsoft 1): the gradients of Conv for X, W and B. Inputs: dY, X, W; attributes:
// Conv's. Sums are made in double.
absl::StatusOr<Kernel> ConvGrad(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ConvAttributes attributes, ConvAttributes::FromNode(node));
  return FloatKernel(
      0, [attributes]<typename C>(KernelContext& ctx) { return Run<C>(ctx, attributes); });
}

}  // namespace

void RegisterTrainingConvGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ConvGrad", {1}, ConvGrad);
}

}  // namespace onnxcmp
