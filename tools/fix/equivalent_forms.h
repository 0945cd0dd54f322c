// Other nodes that give what a node gives: ways around a kernel that errs.
#ifndef ONNXCMP_TOOLS_FIX_EQUIVALENT_FORMS_H_
#define ONNXCMP_TOOLS_FIX_EQUIVALENT_FORMS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "record/base/per_side.h"
#include "tools/fix/edit.h"
#include "tools/fix/propose_edits.h"

namespace onnxcmp {

// An edit for each form that is known of the node that makes the right's result: forms of a table,
// then the body that ONNX's schema gives the operator. Which of them hold for these attributes and
// types, trials tell.
std::vector<Edit> ProposeEquivalents(const FixScene& scene, const PerSide<std::string>& names);

// For a runtime that refuses the model: all nodes of an operator in another form, those operators
// first that the refusal mentions.
std::vector<Edit> ProposeForRefusal(const FixScene& scene, absl::string_view refusal);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_EQUIVALENT_FORMS_H_
