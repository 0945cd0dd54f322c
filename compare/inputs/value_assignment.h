// Which of a file's values goes to which input.
#ifndef ONNXCMP_COMPARE_INPUTS_VALUE_ASSIGNMENT_H_
#define ONNXCMP_COMPARE_INPUTS_VALUE_ASSIGNMENT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/inputs/feeds.h"
#include "compare/pair/per_side.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Inputs that take the same value: one, or one of each side.
struct ValueTarget {
  struct Input {
    SideId side;
    std::string name;
    TypeInfo type;
  };
  std::vector<Input> inputs;  // the first one's name goes first
  bool required = true;       // whether it is worth looking beyond names
  // The user says that they are the same: a value of the second one's name is not looked for.
  bool told = false;
};

// Named values, read when they are wanted.
struct ValueList {
  std::string source;  // "the file x.npz", for messages
  std::vector<std::string> names;
  std::function<absl::StatusOr<NamedValue>(size_t)> read;
};

struct AssignedValues {
  PerSide<Feeds> feeds;
  std::vector<std::string> notes;
};

// By name, each input by its own and else by the other's of its target; required targets that are
// left over take the values that are left over by type and shape where that is unique, then by
// order, if there are as many and all fit. Targets may stay without a value. InvalidArgument for a
// value that has an input's name and does not fit it, and for values that nothing takes, which are
// a note if `partial`.
absl::StatusOr<AssignedValues> AssignValues(const ValueList& values,
                                            const std::vector<ValueTarget>& targets,
                                            bool partial = false);

// Gives a value to an input, cast if need be. `what` in errors says where the value is from.
absl::Status GiveValue(const Value& value, const ValueTarget::Input& input, const std::string& what,
                       AssignedValues* to);

void Append(AssignedValues from, AssignedValues* to);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_VALUE_ASSIGNMENT_H_
