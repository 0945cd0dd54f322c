// What becomes of repairs once nothing more can be repaired: they move to where the fault is.
#ifndef ONNXCMP_COMPARE_REPAIR_REPAIR_MOVES_H_
#define ONNXCMP_COMPARE_REPAIR_REPAIR_MOVES_H_

#include "compare/repair/repairs.h"

namespace onnxcmp {

// A repaired result whose node does on the left's inputs what the left's does is innocent: the
// inputs that differ are at fault.
void MoveUpstream(Repairs* repairs);

// A pair that was tried first, after the fault, may be needed no more once the true one is known:
// what it paired finds another match by itself, and nothing is lost.
void DropNeedless(Repairs* repairs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_REPAIR_MOVES_H_
