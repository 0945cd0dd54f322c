// Edits of the right model that may take a cause away.
#ifndef ONNXCMP_TOOLS_FIX_PROPOSE_EDITS_H_
#define ONNXCMP_TOOLS_FIX_PROPOSE_EDITS_H_

#include <string>
#include <vector>

#include "compare/causes/cause.h"
#include "compare/outcome/comparison.h"
#include "evaluator/kernels/op_registry.h"
#include "onnx/onnx_pb.h"
#include "record/base/per_side.h"
#include "tools/fix/edit.h"
#include "tools/fix/pair_index.h"

namespace onnxcmp {

// The things that edits are made from. All must outlive their making.
struct FixScene {
  const PairIndex& pairs;
  const OpRegistry& registry;
  const onnx::ModelProto& model;  // the right's
};

// The names of a pair of results of the main graphs that a cause is about; "" where it has none.
PerSide<std::string> NamesOf(const Cause& cause, const Comparison& comparison);

// The pairs that a right model which does not run may be wrong at, the likeliest first: results of
// other values or shapes before the node that fails, and that node.
std::vector<PerSide<std::string>> PairsBeforeFailure(const PairIndex& pairs,
                                                     const Comparison& comparison);

// The smallest first: an attribute, a constant, an input, a node that was lost or is too many, the
// left's nodes in the place of the right's. Each is made of a row of a table, by its kind; none of
// them has been tried. None if either name is empty.
std::vector<Edit> ProposeEdits(const FixScene& scene, const PerSide<std::string>& names);

// An edit that makes an output as the left makes it, from results that agree; none if that is not
// possible.
std::vector<Edit> ProposeRegion(const FixScene& scene, const PerSide<std::string>& names);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_PROPOSE_EDITS_H_
