#include "ops/common/elementwise/dropout.h"

#include <random>

#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

// A number in [0, 1) with 53 random bits, as NumPy's legacy generator draws it.
double Uniform(std::mt19937& generator) {
  const uint64_t high = generator() >> 5;
  const uint64_t low = generator() >> 6;
  return static_cast<double>(high << 26 | low) / static_cast<double>(uint64_t{1} << 53);
}

}  // namespace

absl::StatusOr<std::optional<DropoutDraw>> DrawOf(const KernelContext& ctx, double ratio,
                                                  bool training, const DropoutSeed& seed) {
  if (!training || ratio == 0) return std::nullopt;
  if (!(ratio >= 0 && ratio < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("ratio ", ratio, " is not in [0, 1)"));
  }
  const uint64_t number =
      seed.given ? static_cast<uint64_t>(seed.value) : ctx.random_seed() ^ ctx.random_seed() >> 32;
  return DropoutDraw{ratio, static_cast<uint32_t>(number)};
}

absl::StatusOr<std::optional<DropoutDraw>> DrawOfInputs(const KernelContext& ctx, int ratio,
                                                        int training_mode,
                                                        const DropoutSeed& seed) {
  double probability = 0.5;
  bool training = false;
  if (ctx.HasInput(ratio)) {
    OC_ASSIGN_OR_RETURN(probability, ctx.ScalarInput<double>(ratio));
  }
  if (ctx.HasInput(training_mode)) {
    OC_ASSIGN_OR_RETURN(training, ctx.ScalarInput<bool>(training_mode));
  }
  return DrawOf(ctx, probability, training, seed);
}

template <typename C>
void DropElements(const DropoutDraw& draw, const C* x, int64_t count, C* y, uint8_t* mask) {
  const auto scale = static_cast<C>(1 / (1 - draw.ratio));
  std::mt19937 generator(draw.seed);
  for (int64_t i = 0; i < count; ++i) {
    const bool keeps = Uniform(generator) >= draw.ratio;
    y[i] = x[i] * (keeps ? scale : C{0});
    mask[i] = keeps ? 1 : 0;
  }
}

template void DropElements<float>(const DropoutDraw&, const float*, int64_t, float*, uint8_t*);
template void DropElements<double>(const DropoutDraw&, const double*, int64_t, double*, uint8_t*);

}  // namespace onnxcmp
