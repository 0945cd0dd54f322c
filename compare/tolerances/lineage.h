// Propagates precision through a stream: the types in which the two sides came to differ, and
// whether a result's numbers are discrete (indices, labels) or quantized.
#ifndef ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_
#define ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_

#include <cstdint>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Kind of numbers, which decides whether they may differ at all.
enum class NumberKind : uint8_t {
  kReal,          // floats
  kQuantized,     // integers for quantized reals: made by QuantizeLinear, MatMulInteger, ...
  kDiscrete,      // integers, booleans and strings with their own meaning
  kCastDiscrete,  // floats that were cast from discrete numbers
  kFromDiscrete,  // floats computed from discrete numbers and constants alone
};

struct Lineage {
  // The least precise type in which a difference of the two sides arose on the way to this result,
  // including its own type. Integers: for numbers quantized to them. kUndefined: none arose.
  DType type = DType::kUndefined;
  // The first result of that type that differs from the other side's.
  int origin = kNone;
  NumberKind kind = NumberKind::kReal;
};

// By result. `equal`: true for results that the other side has too, value for value: nothing
// propagates from them. The effect of nodes on values is taken from the values themselves: a cast
// without loss does not count.
std::vector<Lineage> LineagesOf(const ResultStream& stream, const std::vector<bool>& equal);

// True if two results of one size hold the same numbers in the same order, in any types, as far as
// their fingerprints tell.
bool SameNumbers(const StreamResult& a, const StreamResult& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TOLERANCES_LINEAGE_H_
