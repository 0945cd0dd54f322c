// Findings of a run of the model on recorded values.
#ifndef ONNXCMP_COMPARE_RECORDED_FRAME_STATE_H_
#define ONNXCMP_COMPARE_RECORDED_FRAME_STATE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "compare/recorded/frame_candidates.h"
#include "compare/recorded/likeness.h"
#include "evaluator/tensor/value.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Recorded results of one content without a partner yet.
struct OpenResult {
  std::vector<int> results;
  int named = kNone;  // a partner by a similar name
  int found = kNone;
  bool derived = false;
  bool tried = false;  // `found` was chosen by likeness alone
  // Results of the model that it may belong to although it has another one's value.
  std::vector<int> places;
  Value value;
  LikenessSample sample;

  bool over() const { return found != kNone || derived; }
};

// An open result that is a step before or inside of one of the model's.
struct StepInFrame {
  size_t open = 0;
  int of = kNone;
  std::string how;
};

struct NearResult {
  int result = kNone;
  double distance = 0;
};

// One run of the model on the recorded values.
struct FrameOfRun {
  std::vector<std::vector<NearResult>> near;  // by open result
  std::vector<FrameCandidate> candidates;     // in the model's order
  std::vector<StepInFrame> steps;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_FRAME_STATE_H_
