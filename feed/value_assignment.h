// Assigns a file's values to inputs.
#ifndef ONNXCMP_FEED_VALUE_ASSIGNMENT_H_
#define ONNXCMP_FEED_VALUE_ASSIGNMENT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "feed/longer_inputs.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Inputs that take the same value: one, or one of each side.
struct ValueTarget {
  struct Input {
    SideId side;
    std::string name;
    TypeInfo type;
  };
  std::vector<Input> inputs;  // the first one's name takes precedence
  bool required = true;       // try more than names
  // The user has paired them: a value of the second one's name is not searched.
  bool told = false;
};

// Named values, read on demand.
struct ValueList {
  std::string source;  // "the file x.npz", for messages
  std::vector<std::string> names;
  std::function<absl::StatusOr<NamedValue>(size_t)> read;
  bool by_name = false;  // names alone tell where a value goes
};

struct AssignedValues {
  PerSide<Feeds> feeds;
  std::vector<LongerInput> longer;
  std::vector<std::string> notes;
};

// Assigns by name, to each input by its own or else by the other name of its target; then the
// remaining required targets take the remaining values by type and shape where that is unique, then
// by order, if there are as many and all fit, unless the list is `by_name`. Targets may stay
// without a value. InvalidArgument for a value that has an input's name and does not fit it, and
// for values that no input takes, which are a note if `partial`.
absl::StatusOr<AssignedValues> AssignValues(const ValueList& values,
                                            const std::vector<ValueTarget>& targets,
                                            bool partial = false);

// Gives a value to an input, cast if necessary. `what` names the value's source in errors.
absl::Status GiveValue(const Value& value, const ValueTarget::Input& input, const std::string& what,
                       AssignedValues* to);

void Append(AssignedValues from, AssignedValues* to);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_VALUE_ASSIGNMENT_H_
