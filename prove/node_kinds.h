// Kinds of operators, as a run over a field has to tell them.
#ifndef ONNXCMP_PROVE_NODE_KINDS_H_
#define ONNXCMP_PROVE_NODE_KINDS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"

namespace onnx {
class OpSchema;
}  // namespace onnx

namespace onnxcmp {

// The schema of a node and the opset imports that chose it.
struct Resolved {
  const onnx::OpSchema* schema = nullptr;  // null: there is none
  const OpsetImports* imports = nullptr;
  int64_t version = 0;
};
Resolved ResolvedIn(const Evaluator& evaluator, const Node& node);

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
