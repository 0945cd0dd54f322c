// Whole numbers in a run over the field. Their sums and products hold modulo 2^bits of their type,
// so the residue of one that may have wrapped stands for its number only in other sums and
// products.
#ifndef ONNXCMP_PROVE_WHOLE_NUMBERS_H_
#define ONNXCMP_PROVE_WHOLE_NUMBERS_H_

#include <optional>

#include "evaluator/tensor/dtype.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/field_value.h"

namespace onnxcmp {

// The range of a value's whole numbers, as far as it is known.
WholeRange WholeRangeOf(const FieldValue& value);

// True for truth values, and for numbers that they were cast to: c c = c.
bool IsZeroOrOne(const FieldValue& value);

// The numbers of residues that may have wrapped: an unknown function of them, which differs by
// type.
Residues Unwrapped(const PrimeField& field, DType dtype, Residues residues);

// True for a cast to a float16 or narrower that does not have all whole numbers of its input: an id
// is another one then, which no tolerance explains.
bool RoundsWholeNumbers(const FieldNode& node);

// Sets, for an output of whole numbers, the range of its numbers and that it may have wrapped.
void KnowWholeNumbers(const FieldNode& node, int output, FieldValue* value);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_WHOLE_NUMBERS_H_
