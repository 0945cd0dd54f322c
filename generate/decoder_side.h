// One side of a generation: a model that is open, and the decoder that runs it.
#ifndef ONNXCMP_GENERATE_DECODER_SIDE_H_
#define ONNXCMP_GENERATE_DECODER_SIDE_H_

#include "absl/status/statusor.h"
#include "compare/sides/side.h"
#include "generate/decoder.h"

namespace onnxcmp {

struct RecordedSteps;  // generate/recorded_steps.h

struct DecoderSide {
  Side* side = nullptr;
  Decoder* decoder = nullptr;
  // The model that reads the prompt and gives the first states, if it is one of its own; else null.
  Side* prompt_side = nullptr;
  Decoder* prompt_decoder = nullptr;
  // A recording's; null for a model.
  const RecordedSteps* recorded = nullptr;
};

// A function that runs the side's model where the side runs it: in our interpreter, or in a
// runtime. InvalidArgument for a recording, which cannot run. The side must outlive it.
absl::StatusOr<Decoder::RunModel> RunnerOf(Side& side);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_DECODER_SIDE_H_
