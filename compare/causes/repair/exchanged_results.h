// Results that a fault has exchanged with each other, such as outputs of a Split or Gathers of one
// value: each has the bits of another's partner, and their readers seem to be at fault.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_EXCHANGED_RESULTS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_EXCHANGED_RESULTS_H_

#include "compare/causes/repair/repairs.h"

namespace onnxcmp {

// Fixes such results to the left's results at their places, if more results match then than with
// the repairs behind them, which are dropped.
void PairExchanged(Repairs* repairs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_EXCHANGED_RESULTS_H_
