// What a result inherits of precision on its way: in which types the two sides came to differ, and
// whether its numbers stand for themselves (indices, labels) or for others (quantized integers).
#ifndef ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_
#define ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_

#include <cstdint>
#include <vector>

#include "compare/streams/result_stream.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// What numbers are, which decides whether they may differ at all.
enum class NumberKind : uint8_t {
  kReal,          // floats
  kQuantized,     // integers that stand for reals: made by QuantizeLinear, MatMulInteger, ...
  kDiscrete,      // integers, booleans and strings that stand for themselves
  kCastDiscrete,  // floats that discrete numbers were cast to
  kFromDiscrete,  // floats that were computed from discrete numbers and constants alone
};

struct Lineage {
  // The least precise type that a difference of the two sides arose in on the way to this result;
  // its own type included. Integers: of numbers quantized to them. kUndefined: none arose.
  DType type = DType::kUndefined;
  // The first result of that type that is not the other side's.
  int origin = kNone;
  NumberKind kind = NumberKind::kReal;
};

// By result. `equal`: which results the other side has too, value for value: what comes after them
// inherits nothing. What nodes have done to values in between is told by the values themselves: a
// cast that loses nothing is none.
std::vector<Lineage> LineagesOf(const ResultStream& stream, const std::vector<bool>& equal);

// Whether two results of one size hold the same numbers in the same order, whatever their types, as
// far as their fingerprints tell.
bool SameNumbers(const StreamResult& a, const StreamResult& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_
