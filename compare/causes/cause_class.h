// Classifies the cause behind a result that rounding does not explain.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_

#include <string>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

struct CauseClass {
  CauseKind kind = CauseKind::kOperator;
  // Operators of both regions of an approximation or a quantization; the same ones recur in many
  // places of a model.
  std::string operators;
  bool known_form = false;  // Cause::known_form
  // Both sides quantize there, and the right ends at most a step off: no more than rounding, if the
  // outputs agree.
  bool of_params = false;
};

CauseClass ClassOf(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                   int right, const RegionNoise::NoiseRatio& noise_ratio, CauseTruth* truth);

bool IsWrong(const Cause& cause);
// True if a constant differs from its match only in numbers that mask equally well.
bool IsAnotherMask(const SideGraph& right, int r, const ForcedResult& result);
// Sorts mistakes first, then by effect, greatest first; at equal effect, overflows first.
void SortByEffect(std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_
