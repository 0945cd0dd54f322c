// Numbers that should have been quantized and are not.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_MISSING_GRIDS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_MISSING_GRIDS_H_

#include <string>
#include <vector>

#include "compare/quantization/side_values.h"

namespace onnxcmp {

struct MissingGrid {
  int result = kNone;  // goes as it is into a node that reads others quantized
  int node = kNone;
  std::string text;
};

// Nodes of which one input is quantized and another is not, where all other such nodes of their
// operator have both. A node that is not quantized at all was left out on purpose.
std::vector<MissingGrid> FindMissingGrids(const SideValues& side);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_MISSING_GRIDS_H_
