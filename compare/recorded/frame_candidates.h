// Pairs that are worth a run of the model.
#ifndef ONNXCMP_COMPARE_RECORDED_FRAME_CANDIDATES_H_
#define ONNXCMP_COMPARE_RECORDED_FRAME_CANDIDATES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Half of what the most alike pair has in common; so much speaks for a pair by itself.
inline constexpr double kHalfAlike = 0.5;

// A pair of a recorded result and one of the model's that still have something in common after a
// fault.
struct FrameCandidate {
  size_t open = 0;  // position of the recorded result
  int result = kNone;
  double likeness = 0;
  double best = 0;  // the recorded result's with any of the model's
};

// The first few candidates in the model's order; for each recorded result those with the most in
// common.
std::vector<FrameCandidate> Promising(absl::Span<const FrameCandidate> candidates);

// True if two shapes of one size are the same but for axes of one element, or for how rows are laid
// out in axes.
bool HaveSameRows(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_FRAME_CANDIDATES_H_
