// Finds results that should have been quantized and are not.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_MISSING_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_MISSING_QUANTIZATION_H_

#include <string>
#include <vector>

#include "compare/quantization/side_values.h"

namespace onnxcmp {

struct MissingQuantization {
  int result = kNone;  // read in float by a node that quantizes its other inputs
  int node = kNone;
  std::string text;
};

// Nodes with one input quantized and another not, where all other such nodes of their operator have
// both quantized. A node with no quantized input was left out on purpose.
std::vector<MissingQuantization> FindMissingQuantization(const SideValues& side);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_MISSING_QUANTIZATION_H_
