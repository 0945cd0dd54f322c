// Inputs that are constants on the other side.
#ifndef ONNXCMP_FEED_FROZEN_INPUTS_H_
#define ONNXCMP_FEED_FROZEN_INPUTS_H_

#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "feed/input_mapping.h"
#include "feed/made_up/input_purpose.h"
#include "record/base/per_side.h"

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

#endif  // ONNXCMP_FEED_FROZEN_INPUTS_H_
