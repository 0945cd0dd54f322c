// Scales, zero points and integers of a quantized model, computed anew from the model in floats.
#ifndef ONNXCMP_TOOLS_FIX_REQUANTIZE_H_
#define ONNXCMP_TOOLS_FIX_REQUANTIZE_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tools/fix/edit.h"
#include "tools/fix/propose_edits.h"

namespace onnxcmp {

// Integers that do not stand for the left's floats, or a grid that does not reach the left's
// values.
struct WrongGrid {
  std::vector<std::string> names;  // the right's results that it is about: constants, then results
  std::string text;                // the mistake in words
  std::vector<Edit> edits;         // the smallest first
};

// Weights and biases first, then activations, of which those alone are looked at that a cause is
// about: how far the left's values go says something only there. `causes`: the left's result by the
// right's. Grids within their rounding have no edits, so that quantization itself is never mended;
// but a scale for each channel comes last, where there is one for channels that need their own.
std::vector<WrongGrid> ProposeGrids(const FixScene& scene,
                                    const absl::flat_hash_map<std::string, std::string>& causes);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_REQUANTIZE_H_
