// Finds the nodes to keep in float by trial.
#ifndef ONNXCMP_COMPARE_IN_FLOAT_FIND_KEEP_IN_FLOAT_H_
#define ONNXCMP_COMPARE_IN_FLOAT_FIND_KEEP_IN_FLOAT_H_

#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/in_float/mixed_run.h"
#include "compare/quantization/quantization.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The judgement of outputs that were tried.
struct TriedOutputs {
  bool close = false;
  std::optional<double> apart;  // as KeepInFloat::before
};

// `judge` is called with the converted side's outputs, in its graph's form. `layers`: the measured
// layers of a quantized side; may be null. Nothing if the outputs are not close even with all nodes
// in float, or only with too many to be called a conversion.
std::optional<KeepInFloat> FindKeepInFloat(
    MixedRun* run, const QuantizationReport* layers,
    absl::FunctionRef<TriedOutputs(const std::vector<Value>&)> judge);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_IN_FLOAT_FIND_KEEP_IN_FLOAT_H_
