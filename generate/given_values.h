// Values that stay the same in every step: an encoder's states, their mask.
#ifndef ONNXCMP_GENERATE_GIVEN_VALUES_H_
#define ONNXCMP_GENERATE_GIVEN_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "generate/roles.h"

namespace onnxcmp {

// A declared shape whose free dimensions are `length`, that of the batch `rows`. InvalidArgument,
// with the input's name, if no shape is declared.
absl::StatusOr<Shape> ShapeOf(const ValueInfo& input, const std::string& batch, int64_t rows,
                              int64_t length);
// The same as long as an encoder's states that are made up.
absl::StatusOr<Shape> GivenShape(const ValueInfo& input, const std::string& batch, int64_t rows);

// Values that stay the same in every step: of inputs with the role kGiven, and of states that no
// output gives. Numbers of an encoder are normally distributed, ids below the limit of their table,
// masks 1. `fixed`: values that a user gives. InvalidArgument if one has another shape than is
// declared.
absl::StatusOr<Feeds> GivenValues(const Graph& graph, const DecoderRoles& roles, int64_t rows,
                                  const Feeds& fixed);

// The given values of another model that this one takes: by name, else the next one of the same
// type and shape. InvalidArgument, with its name, for an input that gets none and that is no
// mask: made-up values would make the two models differ.
absl::StatusOr<Feeds> GivenAsOn(const Graph& graph, const DecoderRoles& roles, const Feeds& other);

// The inputs of an encoder of its own; `fixed`: values that a user gives.
absl::StatusOr<Feeds> EncoderFeeds(const Graph& graph, int64_t rows, const Feeds& fixed);
// The values that an encoder gives a decoder: its outputs on these feeds, and its masks.
Feeds EncoderValues(const Graph& graph, const Feeds& feeds, const std::vector<Value>& outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_GIVEN_VALUES_H_
