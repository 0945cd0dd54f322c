// Tells which side of a cause is nearer the truth: the nodes of both run in double on the left's
// values.
#ifndef ONNXCMP_COMPARE_CAUSES_CAUSE_TRUTH_H_
#define ONNXCMP_COMPARE_CAUSES_CAUSE_TRUTH_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "compare/causes/cause.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "compare/causes/sides_in_double.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

class CauseTruth {
 public:
  // All must outlive the object; the left's evaluator is null for a recording.
  CauseTruth(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
             const Evaluator* left, const Evaluator* right)
      : run_(run),
        state_(state),
        noise_(noise),
        in_double_({&run.left().graph(), &run.right()}, {left, right}) {}

  // Sets `truth`, `apart` and `most_apart` of the cause at a matched right result, as far as known.
  void Judge(int r, Cause* cause);

  // True if a matched right result differs from its partner in double about as much as in its own
  // type, so that rounding plays no part. Constants that one side has folded were rounded, which
  // stays in double: what that moves the result by does not count. False if it is not known.
  bool IsApartInDouble(int r);
  // The same where it is known; true for values that are no floats.
  bool MayBeApartInDouble(int r);

  // True if a matched right result comes to its own value, in double, when results that its nodes
  // read or give are what `replace` makes of their values in double: half of the infinities and NaN
  // that the left does not have, or else more than half of the way. `relative`: of small elements
  // beside great ones. False if it is not known.
  bool ComesToOwnWith(int r, bool relative, absl::FunctionRef<Value(int, const Value&)> replace);

 private:
  // The value that the right's nodes start from.
  Value RightEntry(int r) const;

  // A matched right result and its partner, computed in double; nothing if that is not known.
  struct Exact {
    Tensor left, right;
  };
  const std::optional<Exact>& ExactOf(int r);
  // Its own value, which is the one that it is held at where both have the same bits.
  const Value& OwnOf(int r) const;
  // `replace` is called for each value that the nodes of either side read or give.
  using Replacement = absl::FunctionRef<Value(SideId, int, const Value&)>;
  std::optional<Exact> RunExact(int r, Replacement replace);
  // True if the constants that one side alone has were rounded when they were folded, and no more.
  bool RoundsFoldedNumbers(int r, const Exact& exact);

  const ForcedRun& run_;
  const ForcedState& state_;
  const RegionNoise& noise_;
  SidesInDouble in_double_;
  // The last one asked for: a result that is apart in double is judged next.
  int exact_of_ = kNone;
  std::optional<Exact> exact_;
};

// "the left is 4100 times nearer the truth; in double they are still 0.012 apart"; "" if nothing is
// known.
std::string TruthText(const Cause& cause);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_CAUSE_TRUTH_H_
