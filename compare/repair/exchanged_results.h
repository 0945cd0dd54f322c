// Results that a fault has exchanged with each other, as outputs of a Split or Gathers of one value
// may be: each has the bits of another's partner, and what reads them seems to be at fault.
#ifndef ONNXCMP_COMPARE_REPAIR_EXCHANGED_RESULTS_H_
#define ONNXCMP_COMPARE_REPAIR_EXCHANGED_RESULTS_H_

#include "compare/repair/repairs.h"

namespace onnxcmp {

// Pairs such results by order, each with what the left has in its place, where that lets more match
// than the repairs behind them do, which are then given up.
void PairExchanged(Repairs* repairs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_EXCHANGED_RESULTS_H_
