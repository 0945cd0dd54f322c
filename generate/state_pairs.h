// The outputs of a decoder that are the next values of inputs.
#ifndef ONNXCMP_GENERATE_STATE_PAIRS_H_
#define ONNXCMP_GENERATE_STATE_PAIRS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "generate/roles.h"

namespace onnxcmp {

// True for names of states: caches, hidden states, convolutions' windows.
bool IsCalledState(const std::string& name);

// The axis of a value's batch: that with the symbol of the batch, else the first.
size_t BatchAxis(const TypeInfo& type, const std::string& batch);

// Pairs `pasts` with outputs of the graph but `logits`: by `given` ("PAST=PRESENT"), by their names
// without words like past and present, then by types and shapes in the graph's order. A past that
// has no output is left out, unless it is called a state: InvalidArgument, with what was tried; an
// encoder's keeps its value. `batch`: the symbol of the batch; "": none.
absl::StatusOr<std::vector<StatePair>> PairStates(const Graph& graph,
                                                  const std::vector<const ValueInfo*>& pasts,
                                                  const std::string& logits,
                                                  const std::string& batch,
                                                  const std::vector<std::string>& given);

// The states of a decoder, and the outputs of `prompt` that are their first values.
// InvalidArgument, with its name, for a state that has none.
absl::StatusOr<std::vector<StatePair>> PairWithPrompt(const Graph& prompt,
                                                      const std::string& logits,
                                                      const Graph& decoder,
                                                      const DecoderRoles& roles);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_STATE_PAIRS_H_
