// Two sides that are fed alike with buffers of other lengths: a cache that grows beside one of a
// fixed length, tokens beside padded ones.
#ifndef ONNXCMP_FEED_LONGER_INPUTS_H_
#define ONNXCMP_FEED_LONGER_INPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// An input that has more positions on one side, the first or the last of which the other has.
struct LongerInput {
  SideId side = SideId::kLeft;  // the longer one
  std::vector<int64_t> sizes;   // of its axes that are longer
  bool first = false;           // both are true where the numbers do not tell
  bool last = false;
  std::string text;  // for a note
};

// Nothing unless one value is part of the other.
std::optional<LongerInput> FindLonger(const Tensor& left, const Tensor& right,
                                      const std::string& name);

// True if the positions that both sides have are the last of every input, false if they are the
// first; nothing if the inputs do not agree.
std::optional<bool> AreLast(const std::vector<LongerInput>& inputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_LONGER_INPUTS_H_
