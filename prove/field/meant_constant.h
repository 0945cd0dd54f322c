// Real numbers that constants of models stand for: a float that is the nearest one to 1/3, sqrt(2)
// or 0.044715 is taken for that number, so that dividing by 3 and multiplying by its rounded
// reciprocal are the same.
#ifndef ONNXCMP_PROVE_FIELD_MEANT_CONSTANT_H_
#define ONNXCMP_PROVE_FIELD_MEANT_CONSTANT_H_

#include <string>

#include "evaluator/tensor/dtype.h"
#include "prove/field/prime_field.h"

namespace onnxcmp {

struct MeantConstant {
  Residue residue = 0;
  // "1/3", "1/sqrt(8)", "sqrt(2/pi)", "0.044715"; "": the number is the float itself.
  std::string text;
};

// The simplest number whose nearest element of this type is `number`, which is a number of that
// type: whole numbers and short binary fractions themselves, then decimals of few digits, ratios of
// small integers, their square and fourth roots, pi. Different floats never stand for the same
// number.
MeantConstant MeaningOf(const PrimeField& field, double number, DType dtype);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_MEANT_CONSTANT_H_
