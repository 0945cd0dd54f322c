// The order in which nodes are likely to be needed beside others.
#ifndef ONNXCMP_TOOLS_REDUCE_NODE_ORDER_H_
#define ONNXCMP_TOOLS_REDUCE_NODE_ORDER_H_

#include <vector>

#include "tools/parts/known_model.h"

namespace onnxcmp {

// `rest` by the distance to the needed ones in the graph; with none needed, in the model's order.
std::vector<int> NearestFirst(const KnownModel& known, const std::vector<int>& needed,
                              const std::vector<int>& rest);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_NODE_ORDER_H_
