// Checks of the subgraphs of If, Loop and Scan when the plan is made.
#ifndef ONNXCMP_OPS_CONTROLFLOW_SUBGRAPH_H_
#define ONNXCMP_OPS_CONTROLFLOW_SUBGRAPH_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Null if the node has no such graph, which makes the plan fail without us.
const Graph* SubgraphAttribute(const KernelInit& node, absl::string_view name);

// InvalidArgument unless the node's graph `name` takes `inputs` inputs (more only if they have
// initializers, as files before IR version 4 list those) and yields at least `outputs` outputs.
absl::Status CheckSubgraph(const KernelInit& node, absl::string_view name, int inputs, int outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTROLFLOW_SUBGRAPH_H_
