// Numbers by their signs: a value is a number above 0 times its direction, so that bounds of both
// are alike, max(2 x, 0) = 2 max(x, 0). In proofs that take bounds so (FieldTools::by_direction): a
// factor that one side has folded into weights is no direction, and others are proved without.
#ifndef ONNXCMP_PROVE_DIRECTIONS_H_
#define ONNXCMP_PROVE_DIRECTIONS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/field_value.h"

namespace onnxcmp {

// Sets the direction of a node's first output, where its operator is known to keep it.
void KnowDirection(const FieldNode& node, FieldValue* output);

// 1 where an input is above a limit, 0 where it is below.
absl::StatusOr<Residues> StepsOf(const FieldNode& node, int input, Residue limit = 0);
// The part of an input above a limit: max(x - limit, 0).
absl::StatusOr<Residues> PartAbove(const FieldNode& node, int input, Residue limit = 0);

// Inputs that are the same number above 0 times others.
struct CommonScale {
  Residues scale;
  std::vector<Residues> directions;
};
std::optional<CommonScale> CommonScaleOf(const FieldNode& node);

// The first input less the second, but for a number above 0; nothing: but for 1.
std::optional<Residues> DirectionOfDifference(const FieldNode& node);

// True if a side has operators that directions say something of.
bool TakesBounds(const Comparison& comparison);

// Values as sums and products. Functions of which a law knows sums or products take them apart:
// exp(x + z) = exp(x) exp(z), |x z| = |x| |z|, floor(x + 1) = floor(x) + 1. In proofs that take
// them so (FieldTools::by_parts): a sum that other operators make, as MatMul does, has no parts.

// Sets the parts of a node's first output, the residues of which are known.
void KnowParts(const FieldNode& node, FieldValue* output);
// True if there are functions that may be taken apart.
bool TakesParts(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_DIRECTIONS_H_
