// Constants that an optimizer has computed from others in floats. In a proof they are what is
// computed, if they are within the rounding of just that computing.
#ifndef ONNXCMP_PROVE_FOLDING_H_
#define ONNXCMP_PROVE_FOLDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field_value.h"
#include "prove/rounded_constants.h"

namespace onnxcmp {

struct FoldedConstant {
  std::string constant;
  std::string from;  // its partner on the other side
  Tensor residues;   // its exact value
  int64_t ulp = 0;   // how far the constant is from that
  // The folded layer: its number in the graph, its bias or its weights, where they lie (none: in
  // their order), and the constant's shape.
  size_t layer = 0;
  bool is_bias = false;
  Places places = {};
  Shape shape = {};
};

// A constant that the other side computes as `made`: the one number is the other's, or differs
// where computing has rounded, as another order of the same steps does. Nothing if it is not that.
std::optional<FoldedConstant> FoldOf(const PrimeField& field, const FieldValue& constant,
                                     const FieldValue& made);

// A factor of a node, or a constant of one number, that is the product or quotient of two numbers
// of the other side to the last bit, where these stand for other numbers than floats.
struct FoldedNumber {
  float number = 0;
  Residue residue = 0;
  std::string text, from;
};
std::vector<FoldedNumber> FoldedNumbersOf(const PrimeField& field, const Graph& graph,
                                          const FieldValues& known, const FieldValues& others);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FOLDING_H_
