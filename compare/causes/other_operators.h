// Tells more of a cause between nodes of different operators, one of which may be fused.
#ifndef ONNXCMP_COMPARE_CAUSES_OTHER_OPERATORS_H_
#define ONNXCMP_COMPARE_CAUSES_OTHER_OPERATORS_H_

#include <string>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"

namespace onnxcmp {

// The right's node with two of its inputs exchanged, if that gives the left's result. Else the
// attributes in which a node differs from one of its operator before the other side's node: a
// fused tree from the tree before a Sigmoid. Empty if there is neither. Nodes have to be known.
std::vector<std::string> OtherOperatorTexts(const Cause& cause, const ForcedRun& run,
                                            const ForcedState& state);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_OTHER_OPERATORS_H_
