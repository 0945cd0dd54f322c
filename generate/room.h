// Positions that a decoder has room for: slots of buffers, columns of masks, rows of tables.
#ifndef ONNXCMP_GENERATE_ROOM_H_
#define ONNXCMP_GENERATE_ROOM_H_

#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"
#include "generate/roles.h"

namespace onnxcmp {

// Sets `most_positions` and `limited_by` of roles that are else complete. `purposes`: of the graph.
void LimitPositions(const Graph& graph, const InputPurposes& purposes, DecoderRoles* roles);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_ROOM_H_
