// Operators that are a known one in another layout. They are made from the kernels that are
// registered already, so they come last.
#ifndef ONNXCMP_OPS_CONTRIB_LAYOUTS_LAYOUTS_H_
#define ONNXCMP_OPS_CONTRIB_LAYOUTS_LAYOUTS_H_

#include <cstdint>

#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {

// Channels last: com.ms.internal.nhwc, and NhwcConv, NhwcFusedConv and NhwcMaxPool of
// com.microsoft.
void RegisterChannelsLast(OpRegistry& registry);

// Channels in blocks of 8 or 16: com.microsoft.nchwc. `block` 0: as each node's channels tell.
void RegisterBlockedChannels(OpRegistry& registry, int64_t block);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_LAYOUTS_LAYOUTS_H_
