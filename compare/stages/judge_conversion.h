// The step that accepts the noise of a conversion to a coarser type: outputs that only honest nodes
// and weights lead to.
#ifndef ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_
#define ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/conversion/check_conversion.h"
#include "compare/conversion/conversion.h"
#include "compare/outputs/output_comparison.h"
#include "compare/sides/pair_values.h"
#include "compare/stages/look_at_quantization.h"
#include "compare/stages/step_tools.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct ConversionLimits {
  // Decibels of signal to noise that float outputs must have; nothing: those of an honest model in
  // the type, on given inputs.
  std::optional<double> min_sqnr;
  // True if inputs may exceed the calibrated ranges: then noise has no limit.
  bool other_inputs = false;
  bool ties_agree = false;
  bool given_tolerance = false;  // by the user: the only rule
};

// Sets the signal to noise of outputs. Honest ones agree if it is above the limit, their numbers
// are finite in the same places and no part has lost all it says. Where a choice at nearly equal
// numbers has changed others, the converted side runs again with the plain one's choices: if they
// agree then, they differ by a tie. Others keep their judgement, but for a limit that is given.
// `checked`: nothing if neither side is a conversion of the other.
absl::StatusOr<OutputComparison> JudgeConversion(const std::optional<CheckedConversion>& checked,
                                                 const PerSide<RecordedSide>& sides,
                                                 const PerSide<std::vector<NamedOutput>>& outputs,
                                                 const ConversionLimits& limits,
                                                 const StepTools& tools, OutputComparison judged);

// Decibels that an honest output has at least: those that were asked for, or what the type leaves.
double LeastSignalToNoise(const Conversion& conversion, const std::optional<double>& asked);

// True if nothing in the conversion is suspect, and each output is honest and agrees, or differs by
// a choice or by the noise of integers: then there is no cause to be searched for.
// A result that overflows inside has one all the same.
bool IsHonest(const std::optional<CheckedConversion>& checked, const OutputComparison& judged);

// Dismisses causes at nodes and constants that are honest, and noise of quantization; names the
// first suspects, if outputs differ without another cause. `asked`: causes were.
void ReviewByConversion(const std::optional<CheckedConversion>& checked,
                        const OutputComparison& judged, const PerSide<RecordedSide>& sides,
                        bool asked, ReviewedCauses* reviewed);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_
