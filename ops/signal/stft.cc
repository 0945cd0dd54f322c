#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/signal/fft.h"

namespace onnxcmp {
namespace {

// STFT (ai.onnx 17): the discrete Fourier transforms of frames of frame_length samples, frame_step
// apart, each multiplied by the window; one-sided (the default), the first half of them, also of a
// complex signal's (which the text rules out, but onnxruntime and ONNX's evaluator give). A signal
// of rank 2, as PyTorch exports it, is real. Computed in double for all types.
Kernel Stft(const KernelInit& node) {
  const bool onesided = node.Flag("onesided");
  return [onesided](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    OC_ASSIGN_OR_RETURN(Tensor signal, LoadTensor<double>(ctx, ctx.Input(0)));
    if (signal.rank() == 2) signal = signal.Reshaped({signal.dim(0), signal.dim(1), 1});
    if (signal.rank() != 3 || (signal.dim(2) != 1 && signal.dim(2) != 2)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the signal must be batch x length, and x 1 (real) or 2 (complex), not ",
                       ctx.Input(0).TypeString()));
    }
    const int64_t samples = signal.dim(1);
    const int64_t parts = signal.dim(2);
    OC_ASSIGN_OR_RETURN(const int64_t step, ctx.ScalarInput<int64_t>(1));
    int64_t length = samples;
    Tensor window;
    if (ctx.HasInput(2)) {
      OC_ASSIGN_OR_RETURN(window, LoadTensor<double>(ctx, ctx.Input(2)));
      if (window.rank() != 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("the window must be a vector, not ", ctx.Input(2).TypeString()));
      }
      length = window.dim(0);
    }
    if (ctx.HasInput(3)) {
      OC_ASSIGN_OR_RETURN(length, ctx.ScalarInput<int64_t>(3));
    }
    if (step < 1 || length < 1 || length > samples ||
        (window.defined() && window.dim(0) != length)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "frames of ", length, " samples, ", step, " apart, of a signal of ", samples,
          window.defined() ? absl::StrCat(" with a window of ", window.dim(0)) : std::string()));
    }
    const int64_t frames = (samples - length) / step + 1;
    const int64_t bins = onesided ? length / 2 + 1 : length;
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, {signal.dim(0), frames, bins, 2}));
    // The tables and the scratch of a long transform keep to the limit of one tensor too.
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kDouble, {length, 16}));
    const Fft fft(length);
    double* out = y.mutable_data<double>();
    ctx.pool().ParallelRanges(
        signal.dim(0) * frames, std::max<int64_t>(1, 2048 / length),
        [&](int64_t begin, int64_t end) {
          std::vector<std::complex<double>> frame(static_cast<size_t>(length));
          for (int64_t i = begin; i < end; ++i) {
            const double* from =
                signal.data<double>() + (i / frames * samples + i % frames * step) * parts;
            for (int64_t k = 0; k < length; ++k) {
              const double weight = window.defined() ? window.data<double>()[k] : 1;
              frame[static_cast<size_t>(k)] = {weight * from[k * parts],
                                               parts == 2 ? weight * from[k * parts + 1] : 0};
            }
            fft.Transform(frame.data(), false);
            for (int64_t k = 0; k < bins; ++k) {
              out[(i * bins + k) * 2] = frame[static_cast<size_t>(k)].real();
              out[(i * bins + k) * 2 + 1] = frame[static_cast<size_t>(k)].imag();
            }
          }
        });
    OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, dtype));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterStft(OpRegistry& registry) { registry.Add(kOnnxDomain, "STFT", {17}, Stft); }

}  // namespace onnxcmp
