// Inputs made up for two models together.
#ifndef ONNXCMP_FEED_GENERATED_TARGETS_H_
#define ONNXCMP_FEED_GENERATED_TARGETS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "feed/feeds.h"
#include "feed/generated_inputs.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/input_purpose.h"
#include "feed/value_assignment.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Makes a value for each target, in the type of its first input: by its purpose in both graphs
// (made_up/input_purpose.h), or a ramp (InputGenerator). A dimension that is free on one side takes
// the other side's size, as do all of the same name on its side; ids stay inside the tables of
// both. `graphs`: null for none. InvalidArgument if sizes disagree, and for types that cannot be
// made up.
absl::StatusOr<std::vector<Value>> GenerateTargets(const std::vector<ValueTarget>& targets,
                                                   const PerSide<const Graph*>& graphs,
                                                   const GeneratedInputs& options,
                                                   PurposeCache* purposes);

// Sizes that may be sums of others although no name says so, the likeliest first: for models that
// run on no other sizes.
std::vector<SizeSum> SumsToTry(const std::vector<ValueTarget>& targets,
                               const PerSide<const Graph*>& graphs, const GeneratedInputs& options,
                               PurposeCache* purposes);

// The values for the required inputs of one graph.
absl::StatusOr<std::vector<NamedValue>> GenerateInputs(const Graph& graph,
                                                       const GeneratedInputs& options);

// The assumed purpose of each made-up input: "input_ids: ids of Gather `embedding`, below 1000", as
// far as the graphs tell.
std::vector<std::string> DescribeMadeUp(const std::vector<ValueTarget>& targets,
                                        const PerSide<const Graph*>& graphs,
                                        const GeneratedInputs& options, PurposeCache* purposes);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_GENERATED_TARGETS_H_
