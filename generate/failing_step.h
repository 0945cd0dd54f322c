// The step that fails as an ordinary comparison, and what rounding explains of its tokens.
#ifndef ONNXCMP_GENERATE_FAILING_STEP_H_
#define ONNXCMP_GENERATE_FAILING_STEP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "evaluator/run/evaluator.h"
#include "generate/decoder.h"
#include "generate/decoder_side.h"
#include "generate/invariants.h"
#include "record/base/per_side.h"
#include "record/differences/tolerance.h"

namespace onnxcmp {

struct ComparedStep {
  // True if the comparison fails, or one side alone does not agree with itself.
  bool fails() const;
  std::shared_ptr<Comparison> comparison;
  std::string on;                // the inputs that were fed, in words
  std::vector<Invariant> alone;  // as Generation::alone
};

// Compares the sides on the feeds of a step. If both have the same states, first with the left's
// on both sides, so that nothing is left but what this step does with them. If they have not, on
// all tokens at once; where they agree on these, each side that has states beside itself. Of a
// padded batch first on `row` alone, without padding.
absl::StatusOr<ComparedStep> CompareStep(const PerSide<DecoderSide>& sides,
                                         const PerSide<Feeds>& feeds, const TokenBlock& block,
                                         int64_t row, const CompareOptions& options);

// The name of the left's first state that differs from the right's beyond rounding after a step, at
// positions that count; "" if there is none, or states of the two sides cannot be compared.
absl::StatusOr<std::string> StateThatDiffers(const PerSide<DecoderSide>& sides,
                                             const ToleranceOptions& tolerance);

// How far the logits of two tokens are apart on both sides together, and how much of that rounding
// explains: the distance of each side's logits from the same in double, all tokens at once.
struct TieFigures {
  double apart = 0;
  double rounding = 0;
};
absl::StatusOr<TieFigures> TieOf(const PerSide<DecoderSide>& sides, const PerSide<int64_t>& tokens,
                                 const PerSide<std::vector<std::vector<double>>>& logits,
                                 size_t row);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_FAILING_STEP_H_
