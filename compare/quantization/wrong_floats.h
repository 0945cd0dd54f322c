// Nodes of a quantized side that compute with floats alone, and give something else than the other
// side's nodes on the same values: quantization has no part in that.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_

#include <string>
#include <vector>

#include "compare/quantization/twin_run.h"

namespace onnxcmp {

struct WrongFloat {
  int result = -1;  // of the quantized side
  std::string text;
};

// Of results that have a partner by name: others are paired by how near they are. In the order of
// the results.
std::vector<WrongFloat> FindWrongFloats(const TwinRun& run);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_WRONG_FLOATS_H_
