// The nodes that together make a runtime give something else than each of them does alone.
#ifndef ONNXCMP_COMPARE_SIDES_RUNTIME_GROUP_H_
#define ONNXCMP_COMPARE_SIDES_RUNTIME_GROUP_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "compare/sides/runtime_results.h"
#include "evaluator/run/evaluator.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {

struct RuntimeGroup {
  std::string result;  // the one that is something else, of the group's last node
  std::string text;    // of a cause
};

// Runs each node in our interpreter on what the runtime gave for its inputs. The first one that
// gives something else than the runtime did is run there alone, on these inputs, and if that is not
// enough with the nodes before it: the fewest that reproduce what the runtime gave. Nothing if ours
// gives the same for all of them, so that the runtime's values differ from the left's by rounding
// that grows.
absl::StatusOr<std::optional<RuntimeGroup>> FindRuntimeGroup(const Evaluator& evaluator,
                                                             const Feeds& feeds,
                                                             const RuntimeResults& results,
                                                             Runtime* runtime);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RUNTIME_GROUP_H_
