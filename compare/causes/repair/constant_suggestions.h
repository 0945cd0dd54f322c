// Suggests pairs of unequal constants of the two sides that may be counterparts.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SUGGESTIONS_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SUGGESTIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/forced/forced_run.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {

// A pair that may explain why results after it find no partner.
struct Suggestion {
  int right = kNone;  // result
  int left = kNone;   // class
  // Evidence besides that of a trial, up to 1: the share of inputs that agree, or the similarity of
  // two constants.
  double structure = 0;
};

// By right result: true for constants without a match whose readers all give the left's results up
// to rounding. A near but different constant is then no evidence of a fault: a factor near 1 is
// folded into it.
std::vector<bool> InnocentConstants(const ForcedRun& run, const ForcedState& state);

// True if similarity to another constant is evidence. Shapes resemble each other by chance, and no
// mask hides them: a folded shape needs more evidence.
bool Tells(const Tensor& constant);

class ConstantSuggester {
 public:
  // `looks`: as in RepairLimits::constant_looks.
  ConstantSuggester(const ForcedRun& run, int64_t looks);

  // Suggestions for those of these right results that are constants without a match: similar
  // constants of the left. `fits`: true if a right result may be the counterpart of a class at all.
  std::vector<Suggestion> For(const ForcedState& state, absl::Span<const int> results,
                              const std::vector<bool>& innocents,
                              absl::FunctionRef<bool(int, int)> fits);

  // True if there were more constants than could be compared.
  bool limited() const { return limited_; }

 private:
  // Similarity of a right constant and a class.
  double SimilarityTo(int r, int c, const Value& own, LazyMeasured* measured);

  const ForcedRun& run_;
  absl::flat_hash_map<std::pair<int, int>, double>
      similarities_;    // cached, since they do not change
  int64_t open_looks_;  // element comparisons left
  bool limited_ = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SUGGESTIONS_H_
