// Constants that were rounded to fewer digits: how far they are from what they were rounded from,
// and how they may lie in memory beside it.
#ifndef ONNXCMP_PROVE_ROUNDED_CONSTANTS_H_
#define ONNXCMP_PROVE_ROUNDED_CONSTANTS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A way to lie in memory: for each element of a constant, that of the weights.
using Places = std::vector<size_t>;

inline constexpr size_t kNoPlace = static_cast<size_t>(-1);  // a border of zeros

// The ways in which a constant of the second shape may have weights of the first: as they are,
// transposed, with channels in blocks of onnxruntime, with rows filled up to whole blocks.
std::vector<Places> LayoutsOf(const Shape& weights, const Shape& constant);

// Digits of a type of floats in base 2, with the first one; 0 for other types.
int DigitsOf(DType dtype);

// kSame: it is the number. kNearest: no number of the type is nearer. kZero: that is 0, and the
// number is not. kOutOfRange: the type ends before the number, and this is where. kOther: none of
// these.
enum class Rounding { kSame, kNearest, kZero, kOutOfRange, kOther };

// A float that a converter has written for a number. `slack`: how far off, for its size, the number
// itself may be.
Rounding RoundedTo(DType dtype, double number, double rounded, double slack);

// A code of a quantized tensor: (code - zero) * scale stands for the number.
struct Code {
  double code = 0;
  double scale = 1;
  double zero = 0;
};
// The numbers that the first and the last code stand for, and the step between two. NaN if that is
// not known.
struct CodeRange {
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  double step = 0;
};
CodeRange CodeRangeOf(DType dtype, double scale, double zero);

Rounding QuantizedTo(DType dtype, double number, const Code& code, double slack);

// How a constant agrees with what is computed: in some order of the steps to the last bit, or in
// none, within a few steps of the type.
class RoundingAgreement {
 public:
  RoundingAgreement(size_t ways, DType dtype) : misses_(ways, 0), dtype_(dtype) {}

  // One element: what it is, what it would be exactly, the size of the terms it is summed from, and
  // what computing in floats in several ways gives. False once nothing can agree any more.
  bool Add(double constant, double exact, double size, absl::Span<const double> computed);
  // `alike`: everybody rounds alike what is computed.
  bool Agrees(bool alike) const;
  // The ways that give all elements to the last bit.
  std::vector<bool> Ways() const;
  int64_t ulp() const { return ulp_; }

 private:
  std::vector<int64_t> misses_;
  DType dtype_;
  int64_t count_ = 0;
  int64_t ulp_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_ROUNDED_CONSTANTS_H_
