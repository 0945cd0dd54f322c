// Who is to blame for a result of a side that a runtime runs: the runtime, or the model.
#ifndef ONNXCMP_COMPARE_CAUSES_RUNTIME_BLAME_H_
#define ONNXCMP_COMPARE_CAUSES_RUNTIME_BLAME_H_

#include <string>

#include "compare/causes/forced/forced_run.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// True for a result of random numbers that a runtime draws: ours are no truth for them.
bool DrawsInRuntime(const SideGraph& right, int r);

// The runtime by its name if it gives something else of a matched right result's node than our
// interpreter does on the same values; else "the right", whose model differs.
std::string WhoErrs(const ForcedRun& run, const ForcedState& state, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_RUNTIME_BLAME_H_
