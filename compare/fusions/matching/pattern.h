// Pattern of a fusion, written as an expression of its result:
//
//   {0.5 * x * {1 + Erf({0.70711 * x})}}
//
//   Op(a, b)      a node of ai.onnx; ms:Op of com.microsoft, nchwc:Op of its blocked layout, any:Op
//                 of whichever. Operators for which order does not count take their inputs as a
//                 set. `...` at the end: further inputs may follow. Op:k is its output k, Op:* any.
//   Op[axis=-1|absent](a)   of its attribute, one of these; `axes` may be a constant input instead
//   {a * b / c}   a product: however many Mul, Div and Reciprocal make it, in whatever order; its
//                 numbers are multiplied
//   {a + b - c}   a sum likewise
//   0.5           a constant of one element, within 0.4 %: constants of 16 bits are no nearer
//   #             any constant; ~ one of one element, or computed from shapes; in a product it may
//                 be missing
//   _             anything; x anything that is no constant, the same wherever it stands
//   d=Sub(x, _)   something that has a name
//   (a | b)       one or the other;  ?Op(a)  Op(a) or a alone
//   &a            a match that is no part of the fusion
//   ^a            a result that readers outside the fusion may have too: the operator gives it
//   @gelu(x)      a pattern that has a name, $1 standing for what it is given
//
// Between an operator and its reader there may be obstacles: the matcher looks through them, and
// reports them.
#ifndef ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_H_
#define ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

struct Pattern {
  enum class Kind : uint8_t {
    kOperator,
    kOptional,  // an operator with one argument that may be missing
    kProduct,
    kSum,
    kNumber,
    kConstant,
    kScalar,
    kAnything,
    kVariable,
    kDefinition,  // parts[0] by a name
    kChoice,
    kExposed,  // parts[0]
    kPeek,     // parts[0]
  };
  struct Condition {
    std::string attribute;
    std::vector<double> values;
    bool absent = false;  // also matches if the attribute is not given
  };
  Kind kind = Kind::kAnything;
  std::string name;    // operator's or variable's
  std::string domain;  // operator's; "*": any of the three
  int slot = 0;        // index of an operator's output; -1: any
  bool more_inputs = false;
  std::vector<Condition> conditions;
  std::vector<Pattern> parts;
  std::vector<bool> inverse;  // by part of a product or a sum: divided, subtracted
  double number = 0;
};

// Patterns with names. A later one may use those before it.
using NamedPatterns = std::map<std::string, std::string, std::less<>>;

// InvalidArgument if the text is not one.
absl::StatusOr<Pattern> ParsePattern(absl::string_view text, const NamedPatterns& named);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_MATCHING_PATTERN_H_
