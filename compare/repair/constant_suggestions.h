// Which constants of the two sides may stand for each other without being the same.
#ifndef ONNXCMP_COMPARE_REPAIR_CONSTANT_SUGGESTIONS_H_
#define ONNXCMP_COMPARE_REPAIR_CONSTANT_SUGGESTIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/differences/nearness.h"
#include "compare/forced/forced_run.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A pair that may be at the root of what finds no partner.
struct Suggestion {
  int right = kNone;  // a result
  int left = kNone;   // a class
  // What speaks for it besides what a trial gives, up to 1: the share of inputs that agree, or how
  // like each other two constants are.
  double structure = 0;
};

// By right result: constants without a match of which all that reads them gives what the left has
// up to rounding. Then another one that is near is no evidence of a fault: a factor of nearly 1 is
// folded into it.
std::vector<bool> InnocentConstants(const ForcedRun& run, const ForcedState& state);

// Whether elements that are like those of another constant say anything. Shapes are like each other
// without being the same, and a mask hides nothing of them: a folded one needs more to go by.
bool Tells(const Tensor& constant);

class ConstantSuggester {
 public:
  // `looks`: as RepairLimits' constant_looks.
  ConstantSuggester(const ForcedRun& run, int64_t looks);

  // Those of these results of the right that are constants without a match, and what is like them
  // on the left. `fits`: whether a right result can stand for a class at all.
  std::vector<Suggestion> For(const ForcedState& state, absl::Span<const int> results,
                              const std::vector<bool>& innocents,
                              absl::FunctionRef<bool(int, int)> fits);

  // Whether there were more constants than may be looked at.
  bool limited() const { return limited_; }

 private:
  // Of a constant of the right and a class.
  double LikenessOf(int r, int c, const Value& own, LazyMeasured* measured);

  const ForcedRun& run_;
  absl::flat_hash_map<std::pair<int, int>, double> likenesses_;  // they stay as they are
  int64_t open_looks_;                                           // at elements
  bool limited_ = false;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_CONSTANT_SUGGESTIONS_H_
