// The step that accepts the noise of a conversion to a coarser type: outputs that only honest nodes
// and weights lead to.
#ifndef ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_
#define ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_

#include <optional>
#include <vector>

#include "compare/base/per_side.h"
#include "compare/causes/cause.h"
#include "compare/conversion/check_conversion.h"
#include "compare/outputs/output_comparison.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

struct ConversionLimits {
  // Decibels of signal to noise that outputs must have; nothing: the default for given inputs.
  std::optional<double> min_sqnr;
  // True if ranges may be exceeded for no fault of the model: then noise has no limit.
  bool other_inputs = false;
  bool ties_agree = false;
};

// Outputs that are honest agree, if their numbers are finite in the same places and their signal to
// noise is above the limit. Others keep their judgement.
OutputComparison JudgeConversion(const CheckedConversion& checked,
                                 const PerSide<std::vector<NamedOutput>>& outputs,
                                 const ConversionLimits& limits, OutputComparison judged,
                                 const ThreadPool* pool);

// True if nothing in the conversion is suspect, and all outputs are honest.
bool IsHonest(const CheckedConversion& checked, const OutputComparison& judged);

// Causes without those at nodes and constants that are honest.
std::vector<Cause> WithoutHonest(const CheckedConversion& checked, std::vector<Cause> causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STAGES_JUDGE_CONVERSION_H_
