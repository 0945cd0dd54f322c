// Nodes of a model in 16 bits that are computed in float, with Casts around them.
#ifndef ONNXCMP_TOOLS_FIX_KEEP_IN_FLOAT_EDITS_H_
#define ONNXCMP_TOOLS_FIX_KEEP_IN_FLOAT_EDITS_H_

#include <vector>

#include "compare/outcome/comparison.h"
#include "tools/fix/edit.h"
#include "tools/fix/propose_edits.h"

namespace onnxcmp {

// The nodes that the comparison found have to stay in float; the edit's line has the converter's
// list of them. None if the right is no conversion to 16 bits, or if a node has no partner.
std::vector<Edit> ProposeFloat(const FixScene& scene, const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_KEEP_IN_FLOAT_EDITS_H_
