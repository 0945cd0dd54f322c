// Kinds of operators, as a run over a field has to tell them.
#ifndef ONNXCMP_PROVE_NODE_KINDS_H_
#define ONNXCMP_PROVE_NODE_KINDS_H_

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

bool DrawsNumbers(const Node& node);

// Operators whose result has a shape that depends on values of inputs, which are all numbers, too.
bool ShapesByNumbers(const Node& node);

// Operators whose inputs of whole numbers say where from or where to, and not how many.
bool OnlyPlaces(const Node& node);

// Operators on sequences that only move their elements, which are tensors of any one type.
bool MovesSequences(const Node& node);

// Operators that give the same bits everywhere; others sum in some order, or have functions of some
// library.
bool RoundsAlike(const Node& node);

// Operators that ask whether numbers are above others.
bool ReadsSigns(absl::string_view op_type);

// Shape and Size.
bool ReadsNoElements(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_NODE_KINDS_H_
