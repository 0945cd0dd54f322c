// Examines scales and zero points, and if they explain causes.
#ifndef ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_
#define ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/cause.h"
#include "compare/causes/causes.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/step_tools.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct LookAtQuantizationOptions {
  bool review = false;   // review causes by scales and zero points
  bool layers = false;   // measure every layer, and its cost at the outputs
  bool differ = false;   // outputs do: name the layer that moves them most
  bool made_up = false;  // the inputs were
};

struct ReviewedCauses {
  std::vector<Cause> causes;
  std::vector<DismissedCause> dismissed;
  // The layer whose own error moves the other side's outputs most, where outputs differ. It is no
  // mistake.
  std::optional<Cause> costliest;
  std::optional<QuantizationReport> quantization;  // if a side is quantized
};

absl::StatusOr<ReviewedCauses> LookAtQuantization(const PerSide<RecordedSide>& sides,
                                                  const Alignment& alignment,
                                                  const CauseReport& found,
                                                  const LookAtQuantizationOptions& options,
                                                  const StepTools& tools);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_LOOK_AT_QUANTIZATION_H_
