#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/signal/fft.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMaxLength = int64_t{1} << 40;  // more does not fit into memory

// The form of a lane, before and after.
struct Plan {
  int64_t length;    // of the transform
  int64_t parts_in;  // 1: real, 2: complex
  int64_t parts_out;
  int64_t input;  // elements of a lane
  int64_t output;
  int64_t inner;  // lanes side by side
  bool inverse;
  bool completes;  // the input is half a spectrum
};

// One lane; x and y are its first numbers. `scratch` has the transform's length.
void TransformLane(const Plan& plan, const Fft& fft, const double* x, double* y,
                   std::complex<double>* scratch) {
  const int64_t half = plan.length / 2 + 1;
  const int64_t count = std::min(plan.input, plan.completes ? half : plan.length);
  std::fill_n(scratch, plan.length, std::complex<double>());
  for (int64_t i = 0; i < count; ++i) {
    const double* number = x + i * plan.inner * plan.parts_in;
    scratch[i] = {number[0], plan.parts_in == 2 ? number[1] : 0};
  }
  for (int64_t i = half; i < plan.length && plan.completes; ++i) {
    scratch[i] = std::conj(scratch[plan.length - i]);
  }
  fft.Transform(scratch, plan.inverse);
  for (int64_t i = 0; i < plan.output; ++i) {
    double* number = y + i * plan.inner * plan.parts_out;
    number[0] = scratch[i].real();
    if (plan.parts_out == 2) number[1] = scratch[i].imag();
  }
}

absl::Status Run(KernelContext& ctx, int axis, bool inverse, bool onesided) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
  const int64_t parts = x.dim(x.rank() - 1);
  if (parts != 1 && parts != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("the last dimension must be 1 (real) or 2 (complex), not ", parts));
  }
  if (onesided && (parts == 2) != inverse) {
    return absl::InvalidArgumentError(inverse
                                          ? "an inverse one-sided transform needs a complex input"
                                          : "a one-sided transform needs a real input");
  }
  Plan plan = {};
  plan.input = x.dim(axis);
  plan.length = inverse && onesided ? 2 * (plan.input - 1) : plan.input;
  if (ctx.HasInput(1)) {
    OC_ASSIGN_OR_RETURN(plan.length, ctx.ScalarInput<int64_t>(1));
  }
  if (plan.length < 1 || plan.length > kMaxLength) {
    return absl::InvalidArgumentError(absl::StrCat("a transform of length ", plan.length));
  }
  plan.inverse = inverse;
  plan.completes = inverse && onesided;
  plan.parts_in = parts;
  plan.parts_out = plan.completes ? 1 : 2;
  plan.output = onesided && !inverse ? plan.length / 2 + 1 : plan.length;
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = plan.output;
  shape.back() = plan.parts_out;
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, shape));
  if (y.num_elements() > 0) {
    const LaneShape lanes = LanesAlong(absl::MakeConstSpan(shape).first(shape.size() - 1), axis);
    plan.inner = lanes.inner;
    // The tables and the scratch of a long transform keep to the limit of one tensor too.
    OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kDouble, {plan.length, 16}));
    const Fft fft(plan.length);
    double* out = y.mutable_data<double>();
    ctx.pool().ParallelRanges(
        lanes.lanes(), std::max<int64_t>(1, 2048 / plan.length), [&](int64_t begin, int64_t end) {
          std::vector<std::complex<double>> scratch(static_cast<size_t>(plan.length));
          for (int64_t lane = begin; lane < end; ++lane) {
            const int64_t outer = lane / lanes.inner;
            const int64_t inner = lane % lanes.inner;
            TransformLane(
                plan, fft,
                x.data<double>() + (outer * plan.input * lanes.inner + inner) * plan.parts_in,
                out + (outer * plan.output * lanes.inner + inner) * plan.parts_out, scratch.data());
          }
        });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<double>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// DFT (ai.onnx 17, 20): the discrete Fourier transform along an axis, of length dft_length: the
// input is cut or filled up with zeros. The last dimension is 1 (real) or 2 (real and imaginary
// part). One-sided, a real signal becomes the first half of its spectrum, and inversely. Computed
// in double for all types.
Kernel Dft(const KernelInit& node) {
  const bool inverse = node.Flag("inverse");
  const bool onesided = node.Flag("onesided");
  const bool has_input = node.version() >= 20;
  const int64_t attribute = has_input ? -2 : node.Int("axis");
  return [=](KernelContext& ctx) -> absl::Status {
    int64_t wanted = attribute;
    if (has_input && ctx.HasInput(2)) {
      OC_ASSIGN_OR_RETURN(wanted, ctx.ScalarInput<int64_t>(2));
    }
    const int rank = ctx.Input(0).rank();
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(wanted, rank));
    if (axis == rank - 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", wanted, " of rank ", rank, " holds the parts of complex numbers"));
    }
    return Run(ctx, axis, inverse, onesided);
  };
}

}  // namespace

void RegisterDft(OpRegistry& registry) { registry.Add(kOnnxDomain, "DFT", {17, 20}, Dft); }

}  // namespace onnxcmp
