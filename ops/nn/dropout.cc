#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/dropout.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Drop(KernelContext& ctx, const DropoutDraw& draw, uint8_t* mask) {
  const Tensor& data = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, data));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  DropElements<C>(draw, x.data<C>(), x.num_elements(), y.mutable_data<C>(), mask);
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, data.dtype()));
  return ctx.SetOutput(0, std::move(y));
}

struct Options {
  int version = 0;
  float ratio = 0.5f;     // before 12
  bool training = false;  // before 7
  DropoutSeed seed;       // since 12
};

absl::Status Run(KernelContext& ctx, const Options& options) {
  const Tensor& data = ctx.Input(0);
  std::optional<DropoutDraw> draw;
  if (options.version >= 12) {
    OC_ASSIGN_OR_RETURN(draw, DrawOfInputs(ctx, 1, 2, options.seed));
  } else {
    OC_ASSIGN_OR_RETURN(draw, DrawOf(ctx, options.ratio, options.training, options.seed));
  }
  OC_ASSIGN_OR_RETURN(Tensor mask, ctx.Allocate(DType::kBool, data.shape()));
  auto* bits = mask.mutable_data<uint8_t>();
  if (draw.has_value()) {
    OC_RETURN_IF_ERROR(data.dtype() == DType::kDouble ? Drop<double>(ctx, *draw, bits)
                                                      : Drop<float>(ctx, *draw, bits));
  } else {
    std::fill_n(bits, data.num_elements(), uint8_t{1});
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, data));
  }
  if (options.version < 10 && ctx.HasOutput(1)) {
    OC_ASSIGN_OR_RETURN(const Tensor numbers, LoadTensor<float>(ctx, mask));
    OC_ASSIGN_OR_RETURN(mask, StoreTensor<float>(ctx, numbers, data.dtype()));
  }
  return ctx.SetOutput(1, std::move(mask));
}

// Dropout (ai.onnx 1, 6, 7, 10, 12, 13, 22): output = data in inference, with a mask of ones; in
// training output = data * mask / (1 - ratio), where mask[i] = (number i of the generator >=
// ratio). Versions 1 and 6 train unless is_test is set, 7 and 10 never, later ones if the input
// training_mode says so. The generator is NumPy's RandomState(seed).uniform(), as in ONNX's tests;
// without the attribute `seed` the run's own seed decides. Before 10 the mask has the data's type.
Kernel Dropout(const KernelInit& node) {
  Options options;
  options.version = node.version();
  if (options.version < 12) {
    options.ratio = node.Float("ratio");
  } else {
    options.seed = DropoutSeed(node);
  }
  if (options.version < 7) {
    options.training = !node.Flag("is_test");
  }
  return [options](KernelContext& ctx) { return Run(ctx, options); };
}

}  // namespace

void RegisterDropout(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Dropout", {1, 6, 7, 10, 12, 13, 22}, Dropout);
}

}  // namespace onnxcmp
