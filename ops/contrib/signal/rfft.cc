#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/signal/fft.h"

namespace onnxcmp {
namespace {

using Complex = std::complex<double>;

// Numbers with their parts side by side.
absl::StatusOr<Tensor> AllocateComplex(const KernelContext& ctx, Shape shape) {
  shape.push_back(2);
  return ctx.Allocate(DType::kDouble, shape);
}

// The tables of a transform, whose memory counts too.
absl::StatusOr<Fft> MakeFft(const KernelContext& ctx, int64_t length) {
  if (length < 1) return absl::InvalidArgumentError("a signal has no element");
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kDouble, {length, 16}));
  return Fft(length);
}

int64_t Grain(int64_t length) { return std::max<int64_t>(1, 2048 / length); }

// Transforms along axes first to last - 1 in place.
absl::Status TransformAxes(const KernelContext& ctx, absl::Span<const int64_t> shape, size_t first,
                           size_t last, bool inverse, Complex* data) {
  const int64_t elements = *NumElements(shape);
  for (size_t axis = first; axis < last; ++axis) {
    const int64_t length = shape[axis];
    OC_ASSIGN_OR_RETURN(const Fft fft, MakeFft(ctx, length));
    const int64_t inner = *NumElements(shape.subspan(axis + 1));
    const int64_t lanes = elements / length;
    ctx.pool().ParallelRanges(lanes, Grain(length), [&](int64_t begin, int64_t end) {
      std::vector<Complex> lane(static_cast<size_t>(length));
      for (int64_t l = begin; l < end; ++l) {
        Complex* x = data + l / inner * length * inner + l % inner;
        for (int64_t i = 0; i < length; ++i) lane[static_cast<size_t>(i)] = x[i * inner];
        fft.Transform(lane.data(), inverse);
        for (int64_t i = 0; i < length; ++i) x[i * inner] = lane[static_cast<size_t>(i)];
      }
    });
  }
  return absl::OkStatus();
}

absl::Status Forward(KernelContext& ctx, size_t signal_ndim) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  const size_t rank = x.shape().size();
  if (rank < signal_ndim) {
    return absl::InvalidArgumentError(absl::StrCat(
        "X, ", x.TypeString(), ", has less than signal_ndim ", signal_ndim, " dimensions"));
  }
  const int64_t length = x.shape().back();
  const int64_t half = length / 2 + 1;
  OC_ASSIGN_OR_RETURN(const Fft fft, MakeFft(ctx, length));
  Shape shape = x.shape();
  shape.back() = half;
  OC_ASSIGN_OR_RETURN(Tensor y, AllocateComplex(ctx, shape));
  auto* out = reinterpret_cast<Complex*>(y.mutable_data<double>());
  const int64_t lanes = x.num_elements() / length;
  ctx.pool().ParallelRanges(lanes, Grain(length), [&](int64_t begin, int64_t end) {
    std::vector<Complex> lane(static_cast<size_t>(length));
    for (int64_t l = begin; l < end; ++l) {
      std::copy_n(x.data<double>() + l * length, length, lane.begin());
      fft.Transform(lane.data(), /*inverse=*/false);
      std::copy_n(lane.begin(), half, out + l * half);
    }
  });
  OC_RETURN_IF_ERROR(TransformAxes(ctx, shape, rank - signal_ndim, rank - 1, false, out));
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, ctx.Input(0).dtype()));
  return ctx.SetOutput(0, std::move(y));
}

absl::Status Inverse(KernelContext& ctx, size_t signal_ndim) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  if (x.shape().size() < signal_ndim + 1 || x.shape().back() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must hold real and imaginary parts in its last dimension and have "
                     "signal_ndim ",
                     signal_ndim, " dimensions more, not be ", x.TypeString()));
  }
  Shape shape(x.shape().begin(), x.shape().end() - 1);
  const size_t rank = shape.size();
  const int64_t half = shape.back();
  const int64_t length = 2 * (half - 1);
  OC_ASSIGN_OR_RETURN(const Fft fft, MakeFft(ctx, length));
  OC_ASSIGN_OR_RETURN(Tensor spectrum, AllocateComplex(ctx, shape));
  auto* numbers = reinterpret_cast<Complex*>(spectrum.mutable_data<double>());
  std::copy_n(reinterpret_cast<const Complex*>(x.data<double>()), x.num_elements() / 2, numbers);
  OC_RETURN_IF_ERROR(TransformAxes(ctx, shape, rank - signal_ndim, rank - 1, true, numbers));
  shape.back() = length;
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, shape));
  double* out = y.mutable_data<double>();
  ctx.pool().ParallelRanges(
      y.num_elements() / length, Grain(length), [&](int64_t begin, int64_t end) {
        std::vector<Complex> lane(static_cast<size_t>(length));
        for (int64_t l = begin; l < end; ++l) {
          std::copy_n(numbers + l * half, half, lane.begin());
          for (int64_t i = half; i < length; ++i) {
            lane[static_cast<size_t>(i)] = std::conj(lane[static_cast<size_t>(length - i)]);
          }
          fft.Transform(lane.data(), /*inverse=*/true);
          std::transform(lane.begin(), lane.end(), out + l * length,
                         [](const Complex& number) { return number.real(); });
        }
      });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, ctx.Input(0).dtype()));
  return ctx.SetOutput(0, std::move(y));
}

// Rfft, Irfft (com.microsoft 1, no CPU kernel in onnxruntime): the Fourier transform of real
// signals along the last signal_ndim dimensions, and back: the last of them is half a spectrum of n
// / 2 + 1 numbers, whose parts are one more dimension. The way back is divided by the number of
// elements, and has an even n: 2 * (numbers - 1). Computed in double for all types.
template <absl::Status (*kRun)(KernelContext&, size_t)>
absl::StatusOr<Kernel> RealFft(const KernelInit& node) {
  const int64_t signal_ndim = node.Int("signal_ndim");
  if (signal_ndim < 1 || signal_ndim > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("signal_ndim must be 1, 2 or 3, not ", signal_ndim));
  }
  if (node.Int("normalized") != 0) {
    return absl::UnimplementedError("normalized must be 0");
  }
  if (node.Int("onesided") != 1) return absl::UnimplementedError("onesided must be 1");
  return [signal_ndim](KernelContext& ctx) { return kRun(ctx, static_cast<size_t>(signal_ndim)); };
}

}  // namespace

void RegisterContribRfft(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Rfft", {1}, RealFft<Forward>);
  registry.Add(kMicrosoftDomain, "Irfft", {1}, RealFft<Inverse>);
}

}  // namespace onnxcmp
