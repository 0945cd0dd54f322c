// How a value was made, as far as rules on it ask for that beside its residues.
#ifndef ONNXCMP_PROVE_VALUE_ORIGIN_H_
#define ONNXCMP_PROVE_VALUE_ORIGIN_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"

namespace onnxcmp {

inline constexpr int kAllAxes = -1;

// A number and its residue.
struct MeantNumber {
  double number = 0;
  Residue residue = 0;
};

// 1 + exp(x), of x or of its negative, or 1 over that.
struct PlusExp {
  Tensor of = {};       // x; not defined(): it is no such value
  Tensor of_size = {};  // x is |this|, or its negative
  bool of_negative = false;
  bool inverse = false;
};

// All tensors are residues of the value's shape; not defined(): it is not known.
struct ValueOrigin {
  // It is 1 where this is above 0, and 0 where it is below: the result of a comparison. At 0 it may
  // be either.
  Tensor margin = {};
  std::string margin_node = {};  // the comparison's label and operator
  // It is the conjunction of these, or the opposite of it; of numbers the greatest of these, or the
  // least of their negatives.
  std::vector<Tensor> terms = {};
  bool opposite = false;
  Tensor members = {};  // the same of numbers: those of each element, as a row
  // It is a function of these truth values: bit i of its table is its value where bit j of i is
  // that of value j.
  std::vector<Tensor> atoms = {};
  uint64_t truth = 0;
  // It is `score` where `shown` is 1, and -infinity where that is 0: scores behind a mask.
  Tensor score = {}, shown = {};
  std::vector<Tensor> vanishes_with = {};  // it is 0 where any of these is 0
  Tensor root = {};                        // it is the square of this
  Tensor root_of = {};                     // it is the root of this
  Tensor size_of = {};                     // it is |this|, or the opposite of it
  Tensor sign_of = {};                     // it is the sign of this
  Tensor exp_of_size = {};                 // it is exp(x) of x that is |this|, or its negative
  PlusExp plus_exp = {};
  // It rises with this along an axis, or everywhere.
  Tensor rises_with = {};
  int rises_along = kAllAxes;
  Tensor one_hot_of = {};  // it is 1 where these ids are the last axis' index, else 0
  bool is_whole = false;   // it is a whole number
  // It is the rest of this by a whole number above 0.
  Tensor rest_of = {};
  int64_t rest_by = 0;
  // It is this times a positive number.
  Tensor unscaled = {};
  MeantNumber scale = {1, 1};
  bool shifted = false;  // a number was added, after it was scaled
  // It is this between two limits, the lower not above the upper.
  Tensor unbounded = {};
  MeantNumber low = {-std::numeric_limits<double>::infinity(), kMinusInfinity};
  MeantNumber high = {std::numeric_limits<double>::infinity(), kPlusInfinity};
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_VALUE_ORIGIN_H_
