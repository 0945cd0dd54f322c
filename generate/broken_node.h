// The node at which two runs of one model part, on the elements of the same tokens.
#ifndef ONNXCMP_GENERATE_BROKEN_NODE_H_
#define ONNXCMP_GENERATE_BROKEN_NODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/run/evaluator.h"
#include "generate/decoder_side.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

// A run beside the reference, which has one row and reads all its tokens at once: which elements
// belong together.
struct MappedRun {
  Feeds feeds;
  int64_t rows = 1;  // of this run
  int64_t row = 0;   // the one that is compared
  // By position of the tokens that are fed, and of these with all that earlier steps read: the
  // reference's position of the same token; -1 where nothing has to agree.
  std::vector<int64_t> fed;
  std::vector<int64_t> all;
};

struct BrokenNode {
  std::string node;    // "Softmax 'attn/softmax'"
  std::string result;  // its name
};

// The tolerance that the least precise type on the way to the logits explains, in a run on these
// feeds.
absl::StatusOr<Tolerance> RoundingOf(const DecoderSide& one, const Feeds& feeds);

// `states`: the values of states have to agree, too; else logits alone.
//
// The first result that differs beyond the tolerance although none that it is computed from does,
// in the first of the runs whose values differ. Of others none is named: both are "".
// Results whose shapes do not tell which elements belong together are passed over. `length`: tokens
// of the reference.
absl::StatusOr<BrokenNode> FindBrokenNode(const DecoderSide& one, const Feeds& reference,
                                          int64_t length, const std::vector<MappedRun>& runs,
                                          bool states, const Tolerance& tolerance);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_BROKEN_NODE_H_
