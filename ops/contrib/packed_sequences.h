// Sequences of different lengths whose tokens lie in a row.
#ifndef ONNXCMP_OPS_CONTRIB_PACKED_SEQUENCES_H_
#define ONNXCMP_OPS_CONTRIB_PACKED_SEQUENCES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// Input `index`, (batch + 1) integers: where each sequence begins, and after them where the last
// one ends. They begin with 0, end with `tokens` and do not fall; with `some_tokens` they rise.
inline absl::StatusOr<std::vector<int64_t>> SequenceOffsets(const KernelContext& ctx, int index,
                                                            int64_t tokens, bool some_tokens) {
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> offsets, ctx.IntsInput(index));
  bool good = ctx.Input(index).rank() == 1 && !offsets.empty() && offsets.front() == 0 &&
              offsets.back() == tokens;
  for (size_t i = 1; good && i < offsets.size(); ++i) {
    good = some_tokens ? offsets[i - 1] < offsets[i] : offsets[i - 1] <= offsets[i];
  }
  if (good) return offsets;
  return absl::InvalidArgumentError(
      absl::StrCat("input ", index, " does not part the sequences of ", tokens, " tokens"));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_PACKED_SEQUENCES_H_
