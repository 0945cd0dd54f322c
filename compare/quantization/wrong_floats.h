// Float-only nodes of a quantized side that differ from the other side's nodes on the same values:
// quantization plays no part in that.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_

#include <string>
#include <vector>

#include "compare/quantization/counterpart_run.h"

namespace onnxcmp {

struct WrongFloat {
  int result = -1;  // the quantized side's
  std::string text;
};

// Checks results with a partner by name, in their order: other partners are chosen by distance.
std::vector<WrongFloat> FindWrongFloats(const CounterpartRun& run);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_
