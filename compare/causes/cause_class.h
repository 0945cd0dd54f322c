// What kind of cause a result is that rounding does not explain.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_

#include <string>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/causes/cause_truth.h"
#include "compare/forced/forced_run.h"
#include "compare/forced/region_noise.h"
#include "compare/graphs/side_graph.h"

namespace onnxcmp {

struct CauseClass {
  CauseKind kind = CauseKind::kOperator;
  // Of an approximation or a quantization: the operators of both regions, which are the same in
  // many places of a model.
  std::string operators;
  bool known_form = false;  // Cause::known_form
  // Both sides round to grids there, and the right ends a step off, or by less than a step: no more
  // than rounding, if the outputs agree.
  bool of_grids = false;
};

CauseClass ClassOf(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                   int right, const RegionNoise::Verdict& verdict, CauseTruth* truth);

// Whether it is a mistake, and no other way to compute the same.
bool IsMistake(CauseKind kind);
bool IsWrong(const Cause& cause);
// Whether a constant differs from what it is matched with in numbers that mask as well.
bool IsAnotherMask(const SideGraph& right, int r, const ForcedResult& result);
// What is wrong first, the greatest effect first; of those with the same, what overflows.
void SortByEffect(std::vector<Cause>* causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_CLASS_H_
