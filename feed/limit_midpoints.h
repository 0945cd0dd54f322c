// Numbers between the limits that two models compare the same input with.
#ifndef ONNXCMP_FEED_LIMIT_MIDPOINTS_H_
#define ONNXCMP_FEED_LIMIT_MIDPOINTS_H_

#include <vector>

#include "evaluator/model/model.h"
#include "feed/input_mapping.h"
#include "feed/made_up/input_purpose.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Midpoints between limits that only one side has, in order of size. None if there are many, or for
// a recording.
std::vector<double> MidpointsOfLimits(const InputMapping& mapping,
                                      const PerSide<const Graph*>& graphs, PurposeCache* purposes);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_LIMIT_MIDPOINTS_H_
