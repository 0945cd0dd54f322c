#include "compare/stages/look_at_quantization.h"

#include <utility>

#include "compare/quantization/find_quantization.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<ReviewedCauses> LookAtQuantization(const PerSide<RecordedSide>& sides,
                                                  const Alignment& alignment,
                                                  std::vector<Cause> causes,
                                                  const LookAtQuantizationOptions& options,
                                                  const StepTools& tools) {
  ReviewedCauses reviewed;
  reviewed.causes = std::move(causes);
  if (!options.review && !options.layers) return reviewed;
  QuantizationOptions search;
  search.search_memory = tools.search_memory;
  search.costs = options.layers;
  search.made_up = options.made_up;
  search.watch = tools.watch;
  search.pool = tools.pool;
  OC_ASSIGN_OR_RETURN(
      reviewed.quantization,
      FindQuantization(sides, alignment, search, options.review ? &reviewed.causes : nullptr));
  return reviewed;
}

}  // namespace onnxcmp
