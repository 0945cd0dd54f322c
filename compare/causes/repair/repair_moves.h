// Moves repairs to the place of the fault once no more can be repaired.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_MOVES_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_MOVES_H_

#include "compare/causes/repair/repairs.h"

namespace onnxcmp {

// A repaired result whose node gives the left's result on the left's inputs is innocent: its
// differing inputs are at fault.
void MoveUpstream(Repairs* repairs);

// A pair that was found early, behind the fault, may be needless once the true one is known: the
// results that it matched then match without it.
void DropNeedless(Repairs* repairs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_REPAIR_MOVES_H_
