#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

// A number in [0, 1) with 53 random bits, as NumPy's legacy generator draws it.
double Uniform(std::mt19937& generator) {
  const uint64_t high = generator() >> 5;
  const uint64_t low = generator() >> 6;
  return static_cast<double>(high << 26 | low) / static_cast<double>(uint64_t{1} << 53);
}

// output = mask / (1 - ratio) * data, where mask is 0 with the probability `ratio`.
template <typename C>
absl::Status Drop(KernelContext& ctx, double ratio, uint32_t seed, uint8_t* mask) {
  const Tensor& data = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, data));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, x.shape()));
  const auto scale = static_cast<C>(1 / (1 - ratio));
  const C* from = x.data<C>();
  C* to = y.mutable_data<C>();
  std::mt19937 generator(seed);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const bool keeps = Uniform(generator) >= ratio;
    to[i] = from[i] * (keeps ? scale : C{0});
    mask[i] = keeps ? 1 : 0;
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, data.dtype()));
  return ctx.SetOutput(0, std::move(y));
}

struct Options {
  int version;
  float ratio;
  bool training;
  int64_t seed;
  bool has_seed;
};

absl::Status Run(KernelContext& ctx, const Options& options) {
  const Tensor& data = ctx.Input(0);
  double ratio = options.ratio;
  bool training = options.training;
  if (options.version >= 12 && ctx.HasInput(1)) {
    OC_ASSIGN_OR_RETURN(ratio, ctx.ScalarInput<double>(1));
  }
  if (options.version >= 12 && ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(training, ctx.ScalarInput<bool>(2));
  }
  OC_ASSIGN_OR_RETURN(Tensor mask, ctx.Allocate(DType::kBool, data.shape()));
  auto* bits = mask.mutable_data<uint8_t>();
  if (training && ratio != 0) {
    if (!(ratio >= 0 && ratio < 1)) {
      return absl::InvalidArgumentError(absl::StrCat("ratio ", ratio, " is not in [0, 1)"));
    }
    const auto seed =
        static_cast<uint32_t>(options.has_seed ? static_cast<uint64_t>(options.seed)
                                               : ctx.random_seed() ^ ctx.random_seed() >> 32);
    OC_RETURN_IF_ERROR(data.dtype() == DType::kDouble ? Drop<double>(ctx, ratio, seed, bits)
                                                      : Drop<float>(ctx, ratio, seed, bits));
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
  Options options = {};
  options.version = node.version();
  if (options.version < 12) {
    options.ratio = node.Float("ratio");
  } else {
    options.ratio = 0.5f;
    options.has_seed = node.Has("seed");
    options.seed = node.Int("seed", 0);
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
