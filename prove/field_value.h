// The value of a name in a model that runs over a field beside its run on numbers.
#ifndef ONNXCMP_PROVE_FIELD_VALUE_H_
#define ONNXCMP_PROVE_FIELD_VALUE_H_

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/value_origin.h"

namespace onnxcmp {

// The least and the greatest of whole numbers; wide enough for those of 64 bits, exactly.
using WholeRange = std::pair<long double, long double>;

// A rounding that leads to a value (roundings.h). Its number stands for those before it, too, so
// that a value needs no list of all.
struct RoundingStep {
  uint64_t number = 0;
  uint64_t own = 0;  // the same without those before it

  friend auto operator<=>(const RoundingStep&, const RoundingStep&) = default;
};

// The last ones on each way to a value, in ascending order; null: there are none.
using Roundings = std::shared_ptr<const std::vector<RoundingStep>>;

// kNotBelow: no element is below 0; kAbove: all are above.
enum class Sign : uint8_t { kAny, kNotBelow, kAbove };

// A value as a number above 0 times another value (directions.h).
struct Direction {
  Tensor of;                // residues of the other; not defined(): it is the value itself
  Tensor scale;             // the number's, broadcast; not defined(): it depends on inputs
  bool may_vanish = false;  // the number may be 0
  Sign sign = Sign::kAny;   // of the value
};

// A summand of a value: so many halves of this.
struct Summand {
  Tensor of;
  int64_t halves = 2;
  bool whole = false;  // it is a whole number
};

// A value as a sum, as a product, or as a power of e (directions.h); not known where there is
// nothing. Tensors have its shape.
struct Parts {
  std::vector<Summand> summands = {};
  std::vector<Tensor> factors = {};
  Tensor exp_of = {};
};

struct FieldValue {
  Value number;     // on the inputs that were fed
  Tensor residues;  // int64; not defined() for a fixed value whose numbers say it all
  // Where it is known as factor * exp(exponent), these, of which the factor is broadcast: exp(a)
  // exp(b) = exp(a + b) holds for such. Not defined() otherwise.
  Tensor exp_factor, exp_exponent;
  // 1 for elements that a mask has made large negative numbers (score_masks.h), broadcast; not
  // defined(): none.
  Tensor masked;
  std::shared_ptr<const ValueOrigin> origin;  // null: nothing is known
  // Of a sequence: its elements as residues.
  Value elements;
  // The same for all values of the inputs that vary: `number` holds for all.
  bool fixed = true;
  // It is made by + - * / alone from inputs and constants: where two differ in the field, they
  // differ as functions. Else they may be equal by a rule that nobody has told the field.
  bool exact = true;
  // It is made by operators that everybody rounds alike: + - * / and roots, and what only moves.
  bool rounds_alike = true;
  // Its shape depends on values, and is that of the run on numbers.
  bool shaped = false;
  // The residue of a whole number may be apart from it by a multiple of 2^bits of the type.
  bool wraps = false;
  std::optional<WholeRange> whole;  // their range; nothing: that of the type, or of the constant
  Roundings roundings;
  Direction direction;
  Parts parts;
  uint64_t identity = 0;  // of what is no tensor and not fixed

  bool empty() const { return number.empty(); }
};

// By name.
using FieldValues = absl::flat_hash_map<std::string, FieldValue>;

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_VALUE_H_
