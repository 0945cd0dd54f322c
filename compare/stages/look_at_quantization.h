// Examines scales and zero points: whether they explain causes and outputs that are far apart.
#ifndef ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_
#define ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/base/per_side.h"
#include "compare/causes/cause.h"
#include "compare/outputs/output_comparison.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/step_tools.h"

namespace onnxcmp {

struct LookAtQuantizationOptions {
  bool review = false;  // review causes by scales and zero points
  bool layers = false;  // measure every layer, and its cost at the outputs
  // If causes are reviewed and an output agrees only by a wide tolerance: check that correct layers
  // explain its distance.
  bool weigh_outputs = false;
  bool made_up = false;  // the inputs were
};

struct ReviewedCauses {
  std::vector<Cause> causes;
  std::optional<QuantizationReport> quantization;  // if a side is quantized
};

absl::StatusOr<ReviewedCauses> LookAtQuantization(
    const PerSide<RecordedSide>& sides, const Alignment& alignment, const OutputComparison& judged,
    std::vector<Cause> causes, const LookAtQuantizationOptions& options, const StepTools& tools);

// Outputs that agree by much because a side is quantized: whether its layers explain as much. As
// they are where no layers were looked at. Inputs that were made up are not just those that scales
// were calibrated with, and more is let pass.
OutputComparison WeighByLayers(OutputComparison judged,
                               const std::optional<QuantizationReport>& quantization,
                               const PerSide<RecordedSide>& sides, bool made_up);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_
