// How long the nodes of a model took, as `run --trace` noted it.
#ifndef ONNXCMP_SHOW_MODEL_NODE_TIMES_H_
#define ONNXCMP_SHOW_MODEL_NODE_TIMES_H_

#include <string>

#include "absl/status/status.h"
#include "show/model/shown_model.h"

namespace onnxcmp {

// Sets the times of nodes of the main graph, those of several runs together. It is an error if the
// file has none of them; a node whose name and operator another one has, too, gets none.
absl::Status ReadNodeTimes(const std::string& path, ShownModel* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_NODE_TIMES_H_
