// Edits of a node of which only the result is known that it should have.
#ifndef ONNXCMP_TOOLS_FIX_GUESS_EDITS_H_
#define ONNXCMP_TOOLS_FIX_GUESS_EDITS_H_

#include <string>
#include <vector>

#include "tools/fix/edit.h"
#include "tools/fix/propose_edits.h"

namespace onnxcmp {

// Mistakes of exporters, undone: the order of inputs, flags and axes, a node too many, another
// operator of the same family, an activation that was lost. Trials tell which of them gives the
// recorded values. `right`: the result that the node makes.
std::vector<Edit> ProposeGuesses(const FixScene& scene, const std::string& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_GUESS_EDITS_H_
