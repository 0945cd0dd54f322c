// Compares a model in a runtime with another side on several sets of made-up inputs.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_RUNTIME_SETS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_RUNTIME_SETS_H_

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"

namespace onnxcmp {

// The sets have other numbers and other sizes, all of the usual kind, and each is judged by itself:
// a run in double, which tells if models differ, knows nothing of a runtime's kernels. The first
// set that differs is returned, with its causes; else the first. Other sizes are tried if `sets`
// asks for them; a search is not.
absl::StatusOr<SetsResult> CompareRuntimeSets(Side& left, Side& right, InputSets& inputs,
                                              const CompareOptions& options,
                                              const SetsOptions& sets);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_RUNTIME_SETS_H_
