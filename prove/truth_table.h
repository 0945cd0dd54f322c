// Functions of a few truth values: what is made of And, Or, Xor, Not and Equal has one value in the
// field, however it is written. So has what is made of Max and Min, which are alike.
#ifndef ONNXCMP_PROVE_TRUTH_TABLE_H_
#define ONNXCMP_PROVE_TRUTH_TABLE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "prove/field_node.h"
#include "prove/value_origin.h"

namespace onnxcmp {

// Sets the output of a node on two inputs of truth values to a function of what these are made of,
// beside what its origin says already. False: that is too much; nothing is set.
absl::StatusOr<bool> SetTruth(FieldNode& node, absl::FunctionRef<bool(bool, bool)> function);

// The same for the greater of two numbers, or the lesser one, where these are made of others by Max
// and Min: it is above a number where a function of truth values is true, those of the others being
// above it.
absl::Status SetGreaterOf(FieldNode& node, bool least);

// The opposite of an input, as far as it is made of others.
ValueOrigin OppositeTruth(const FieldNode& node, int input);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_TRUTH_TABLE_H_
