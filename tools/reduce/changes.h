// Changes that make a small model smaller or simpler.
#ifndef ONNXCMP_TOOLS_REDUCE_CHANGES_H_
#define ONNXCMP_TOOLS_REDUCE_CHANGES_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/parts/known_model.h"
#include "tools/parts/part.h"

namespace onnxcmp {

// Edits a copy of the best model so far, of which `known` has the values. False if it has nothing
// to do there. A result need not be valid: the checks decide that.
struct ReduceChange {
  std::string words;  // "node add_3 left out"
  std::function<bool(const KnownModel& known, FedModel* model)> apply;
  // In place of it if its result is not valid. Null: nothing.
  std::function<bool(const KnownModel& known, FedModel* model)> otherwise = nullptr;
  // Changes of one group are given up after a few that were in vain; "": a group of its own.
  std::string group = "";
};

// All of these expect names of the model, and no order: a change that was made leaves the others
// as they are, or nothing to do for them.

// Each node replaced by one of its inputs that has the same type and shape.
std::vector<ReduceChange> BypassChanges(const KnownModel& known);
// Outputs of the model and of nodes left out.
std::vector<ReduceChange> OutputChanges(const KnownModel& known);
// Inputs of nodes left out, the last ones first.
std::vector<ReduceChange> InputChanges(const KnownModel& known);
// Attributes left out: of a node all at once, then one by one.
std::vector<ReduceChange> AttributeChanges(const KnownModel& known);
// Calls of functions, branches and bodies of loops in place of their nodes.
std::vector<ReduceChange> InlineChanges(const KnownModel& known);
// Nodes of branches and bodies left out, with constants in their place.
std::vector<ReduceChange> BodyChanges(const KnownModel& known);
// All inputs with their fixed shapes.
std::vector<ReduceChange> ShapeChanges(const KnownModel& known);
// Dimensions of inputs and constants cut: all of one size at a time.
std::vector<ReduceChange> SizeChanges(const KnownModel& known);
// Numbers of inputs and constants: zeros, ones, one number among zeros, whole numbers. `inputs`:
// those of inputs, too.
std::vector<ReduceChange> NumberChanges(const KnownModel& known, bool inputs);

// Leaves out nodes, inputs, initializers, functions and types that are unread.
void RemoveUnread(FedModel* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_CHANGES_H_
