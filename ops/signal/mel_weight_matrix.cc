#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

double Mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double Hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// MelWeightMatrix (ai.onnx 17): column m holds a triangle over the bins of a one-sided spectrum,
// which rises from edge m to 1 at edge m + 1 and falls to edge m + 2. Edges are (mel(upper) -
// mel(lower)) / (num_mel_bins + 2) apart, beginning at mel(lower), and rounded down to bins,
// floor((dft_length + 1) * hertz / sample_rate): as in ONNX's test data. What falls beyond the
// spectrum is left out.
absl::StatusOr<Kernel> MelWeightMatrix(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const DType dtype, DTypeFromNumber(node.Int("output_datatype")));
  return [dtype](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int64_t bands, ctx.ScalarInput<int64_t>(0));
    OC_ASSIGN_OR_RETURN(const int64_t dft_length, ctx.ScalarInput<int64_t>(1));
    OC_ASSIGN_OR_RETURN(const int64_t sample_rate, ctx.ScalarInput<int64_t>(2));
    OC_ASSIGN_OR_RETURN(const double low, ctx.ScalarInput<double>(3));
    OC_ASSIGN_OR_RETURN(const double high, ctx.ScalarInput<double>(4));
    constexpr int64_t kLimit = int64_t{1} << 40;
    if (bands < 0 || dft_length < 0 || sample_rate < 1 || std::max(bands, dft_length) > kLimit ||
        !(low >= 0 && high >= low && high < 1e9)) {
      return absl::InvalidArgumentError(absl::StrCat(bands, " bands from ", low, " to ", high,
                                                     " Hz of a transform of ", dft_length,
                                                     " samples at ", sample_rate, " Hz"));
    }
    const int64_t rows = dft_length / 2 + 1;
    OC_ASSIGN_OR_RETURN(Tensor weights, ctx.Allocate(DType::kFloat, {rows, bands}));
    auto* out = weights.mutable_data<float>();
    std::fill_n(out, weights.num_elements(), 0.0f);
    const double step = (Mel(high) - Mel(low)) / static_cast<double>(bands + 2);
    const auto edge = [&](int64_t i) {
      const double hertz = Hertz(Mel(low) + static_cast<double>(i) * step);
      const double bin = std::floor(static_cast<double>(dft_length + 1) * hertz /
                                    static_cast<double>(sample_rate));
      return static_cast<int64_t>(std::clamp(bin, 0.0, static_cast<double>(kLimit)));
    };
    for (int64_t band = 0; band < bands; ++band) {
      const int64_t begin = edge(band);
      const int64_t center = edge(band + 1);
      const int64_t end = edge(band + 2);
      const auto rise = static_cast<double>(center - begin);
      const auto fall = static_cast<double>(end - center);
      for (int64_t i = begin; i < std::min(end, rows); ++i) {
        const double weight = i < center ? static_cast<double>(i - begin) / rise
                                         : static_cast<double>(end - i) / fall;
        out[i * bands + band] = static_cast<float>(weight);
      }
      if (center < rows) out[center * bands + band] = 1;  // also of a triangle without width
    }
    OC_ASSIGN_OR_RETURN(weights, StoreTensor<float>(ctx, weights, dtype));
    return ctx.SetOutput(0, std::move(weights));
  };
}

}  // namespace

void RegisterMelWeightMatrix(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MelWeightMatrix", {17}, MelWeightMatrix);
}

}  // namespace onnxcmp
