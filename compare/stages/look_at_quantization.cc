#include "compare/stages/look_at_quantization.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/quantization/find_quantization.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// True if an output agrees only by the wide tolerance of a coarser type upstream.
bool IsWide(const OutputPair& pair) {
  constexpr double kMuch = 0.1;
  return pair.difference.agree && !pair.within_own && !pair.recorded &&
         pair.difference.apart > kMuch * pair.difference.tolerance.whole;
}

}  // namespace

absl::StatusOr<ReviewedCauses> LookAtQuantization(
    const PerSide<RecordedSide>& sides, const Alignment& alignment, const OutputComparison& judged,
    std::vector<Cause> causes, const LookAtQuantizationOptions& options, const StepTools& tools) {
  ReviewedCauses reviewed;
  reviewed.causes = std::move(causes);
  if (!options.review && !options.layers) return reviewed;
  QuantizationOptions search;
  search.search_memory = tools.search_memory;
  search.costs = options.layers;
  search.made_up = options.made_up;
  search.explain = options.review && options.weigh_outputs &&
                   std::any_of(judged.pairs.begin(), judged.pairs.end(), IsWide);
  search.watch = tools.watch;
  search.pool = tools.pool;
  OC_ASSIGN_OR_RETURN(
      reviewed.quantization,
      FindQuantization(sides, alignment, search, options.review ? &reviewed.causes : nullptr));
  return reviewed;
}

OutputComparison WeighByLayers(OutputComparison judged,
                               const std::optional<QuantizationReport>& quantization,
                               const PerSide<RecordedSide>& sides, bool made_up) {
  // Bounds of the noise of an output against the sum of the layers' own rounding, which is taken
  // for independent of each other; where it is not, the sum is somewhat too small.
  constexpr double kTimesExplained = 2;
  // Inputs that were made up are none that scales were calibrated with, though they fit: some
  // scales clip them, and what is clipped adds up otherwise. So honest noise may be a few times as
  // large; where little is explained, an output that lost a whole step is still far beyond.
  constexpr double kTimesOnMadeUp = 6;
  const double times = made_up ? kTimesOnMadeUp : kTimesExplained;
  if (!quantization.has_value() || !quantization->explained.has_value()) return judged;
  const ExplainedNoise* const noise = &*quantization->explained;
  for (OutputPair& pair : judged.pairs) {
    if (!IsWide(pair) || pair.difference.apart <= times * noise->all) continue;
    pair.difference.agree = false;
    pair.difference.fault =
        absl::StrFormat("they are %.2g of their size apart, and honest quantization explains %.2g",
                        pair.difference.apart, noise->all);
    if (noise->standing_out.has_value()) {
      const RecordedSide& quantized = sides[quantization->side];
      absl::StrAppend(&pair.difference.fault, "; '",
                      quantized.result(noise->standing_out->result).name, "' stands out");
    }
  }
  judged.agree = AllAgree(judged);
  return judged;
}

}  // namespace onnxcmp
