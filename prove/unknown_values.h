// Uninterpreted values, which only their origin identifies: random residues represent them.
#ifndef ONNXCMP_PROVE_UNKNOWN_VALUES_H_
#define ONNXCMP_PROVE_UNKNOWN_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field_value.h"
#include "prove/value_trace.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Tensors of numbers get random ones in their place; text and complex numbers stay as fed.
bool Varies(const Value& value);

// A seed that follows from the constants and attributes of both sides: a number that is made for
// one prime leads to another one.
uint64_t SeedOfConstants(const PerSide<const ResultStream*>& streams);

// An input that varies, other ones for each key.
FieldValue RandomValue(const PrimeField& field, const Value& number, uint64_t key);

// Inputs with a default that nobody fed vary, too. Below IR version 4 a model has no other place
// for its weights: these are constants.
void VaryDefaults(const PrimeField& field, const Model& model, FieldValues* given);

// True if both sides have such inputs, and they were fed the same: a user may match them crosswise.
bool IsSameInput(const PerSide<const Feeds*>& feeds, const std::string& left,
                 const std::string& right);

// A number for an input, the same for inputs that belong together.
uint64_t InputKey(const PerSide<const Feeds*>& feeds, absl::Span<const ProofPair> pairs,
                  SideId side, const std::string& name);

// The outputs of a node that is a function of its inputs of which nothing else is known: the same
// for the same `operation` and inputs. Unimplemented if an input is NaN or unknown.
absl::StatusOr<std::vector<FieldValue>> UnknownFunction(const PrimeField& field, const Node& node,
                                                        uint64_t operation,
                                                        absl::Span<const FieldValue> inputs,
                                                        absl::Span<const Value> numbers);

// The outputs of a node that is not even that, other ones for each key.
std::vector<FieldValue> UnknownValues(const PrimeField& field, uint64_t key,
                                      absl::Span<const Value> numbers);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_UNKNOWN_VALUES_H_
