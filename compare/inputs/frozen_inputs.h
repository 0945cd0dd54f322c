// Inputs that are constants on the other side.
#ifndef ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_
#define ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_

#include <string>
#include <vector>

#include "compare/base/per_side.h"
#include "compare/inputs/input_mapping.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

struct FrozenInput {
  SideId side;  // side that has it as an input
  std::string name;
  std::string text;  // "`mask` as the right has frozen it: all 1"
};

// Inputs that take a constant's value, except weights. None for a recording.
std::vector<FrozenInput> FrozenInputs(const InputMapping& mapping,
                                      const PerSide<const Graph*>& graphs, PurposeCache* purposes);

// The inputs of a graph that are masks.
std::vector<std::string> MaskInputs(const Graph& graph, PurposeCache* purposes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_
