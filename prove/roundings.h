// Roundings that a run over the field sets aside. They are small, but for functions that jump, as
// Floor or a comparison: these may give another number for another rounding.
#ifndef ONNXCMP_PROVE_ROUNDINGS_H_
#define ONNXCMP_PROVE_ROUNDINGS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field_node.h"
#include "prove/field_value.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The roundings that lead to any of the values.
Roundings RoundingsOf(absl::Span<const FieldValue> values);
// The same with further ones.
Roundings WithRoundings(Roundings roundings, std::vector<RoundingStep> others);
// A constant that was taken for the number it stands for.
RoundingStep RoundingOfConstant(Residue number, DType dtype);

// A number for those that left fewer digits than the numbers had, as a cast to float16; 0: none.
uint64_t NarrowOf(const Roundings& roundings);

// A function that jumps, at a node of one side.
struct RoundedJump {
  std::string node;        // "Floor f"
  uint64_t value = 0;      // a number for its elements, in whatever order they lie
  uint64_t roundings = 0;  // the same for the roundings that lead to it
};
void KeepJump(std::string node, const FieldValue& value, std::vector<RoundedJump>* jumps);
// The same of a node that jumps, or that reads a comparison otherwise than as a bound.
void KeepJumps(const FieldNode& node, absl::Span<const FieldValue> inputs,
               absl::Span<const FieldValue> outputs, std::vector<RoundedJump>* jumps);
// The same of a value, if it is a comparison.
void KeepComparison(const FieldValue& value, std::vector<RoundedJump>* jumps);
// The nodes of both sides that jump alike in exact arithmetic, after other roundings: "Floor f |
// g".
std::vector<std::string> JumpsOfOtherRoundings(const PerSide<std::vector<RoundedJump>>& jumps);

// True for operators of which nothing is known but that they choose or count by their numbers.
bool MayJump(const Node& node, absl::Span<const Value> outputs);

// Sets the roundings of a node's output, the residues of which are known. `before`: those of its
// inputs. `moves`: its elements are those of the inputs.
void KnowRoundings(const Node& node, absl::Span<const FieldValue> inputs, const Roundings& before,
                   bool moves, const Value& number, FieldValue* value);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_ROUNDINGS_H_
