// A recording of a decoder's steps, a set each, as a side beside a model.
#ifndef ONNXCMP_GENERATE_RECORDED_STEPS_H_
#define ONNXCMP_GENERATE_RECORDED_STEPS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/sides/recording_side.h"
#include "evaluator/model/model.h"
#include "generate/decoder.h"
#include "generate/roles.h"

namespace onnxcmp {

struct RecordedSteps {
  int64_t count = 0;
  // A graph without nodes: the inputs that say which steps these are, and the outputs that were
  // recorded.
  Graph graph;
  DecoderRoles roles;
  // The tokens of each step, if they were recorded; empty: each step's are those that the logits of
  // the step before choose.
  std::vector<TokenBlock> tokens;
};

// `model`: the other side, by whose names logits, tokens, mask and states are found; logits and
// tokens also by what they are called. InvalidArgument, with the recording's name, if it has no
// logits, or a step's tokens do not follow on those before.
absl::StatusOr<RecordedSteps> FindRecordedSteps(RecordingSide& recording, const Graph& model,
                                                const DecoderRoles& of_model);

// "Runs" the recording: its set of a step. Both must outlive it.
Decoder::RunModel RunnerOf(RecordingSide& recording, const RecordedSteps& steps);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_RECORDED_STEPS_H_
