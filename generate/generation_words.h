// Words of reports for generations and invariants.
#ifndef ONNXCMP_GENERATE_GENERATION_WORDS_H_
#define ONNXCMP_GENERATE_GENERATION_WORDS_H_

#include <string>
#include <vector>

#include "compare/outputs/compared_row.h"
#include "generate/generation.h"
#include "generate/invariants.h"

namespace onnxcmp {

// The step that fails, where tokens change and why, why the steps ended early.
std::vector<std::string> OutcomeLines(const Generation& generation);

// "held to the bit", "broken at Softmax 's' (result w): token 5 of prompt 0, ...".
std::string InvariantText(const Invariant& invariant);
// "to_the_bit", "within_rounding", "broken", "not_tried".
std::string OutcomeName(Invariant::Outcome outcome);
// The sign that stands for it in a table.
Relation RelationOfOutcome(Invariant::Outcome outcome);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_GENERATION_WORDS_H_
