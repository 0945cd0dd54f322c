// Inputs that the other side has made constants of.
#ifndef ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_
#define ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_

#include <string>
#include <vector>

#include "compare/inputs/input_mapping.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "compare/pair/per_side.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

struct FrozenInput {
  SideId side;  // that it is an input of
  std::string name;
  std::string text;  // "`mask` as the right has frozen it: all 1"
};

// Those that take a constant's value, but for weights. Of a recording there are none.
std::vector<FrozenInput> FrozenInputs(const InputMapping& mapping,
                                      const PerSide<const Graph*>& graphs, PurposeCache* purposes);

// Which inputs of a graph are masks.
std::vector<std::string> MaskInputs(const Graph& graph, PurposeCache* purposes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_FROZEN_INPUTS_H_
