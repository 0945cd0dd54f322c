// A few pairs of finite numbers that fit into the cache: sums and extremes of their errors, and on
// demand the number of pairs beyond a bound and the worst pairs.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_FINITE_STRIP_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_FINITE_STRIP_H_

#include <cstdint>

#include "record/differences/lanes/pair_moments.h"
#include "record/differences/lanes/ulp_ladder.h"

namespace onnxcmp::lanes {

// A strip's size is a multiple of this.
inline constexpr int64_t kStripLanes = 8;

struct StripErrors {
  // As in ElementErrors (element_errors.h).
  double absolutes = 0, relatives = 0, squares = 0;
  double left_squares = 0, right_squares = 0, products = 0;
  double max_ulp = 0;
  double min = 0, max = 0;
  double greatest = 0;
  // Only for strips.
  double lefts = 0;        // a, not scaled
  double differences = 0;  // b - a, not scaled
  double max_absolute = 0;
  double max_relative = 0;
};

// Number: float or double.
template <typename Number>
class FiniteStrip {
 public:
  // `relatives` has room for `count` numbers; all three arrays must outlive the strip.
  FiniteStrip(const Number* a, const Number* b, int64_t count, double* relatives)
      : a_(a), b_(b), count_(count), relatives_(relatives) {}

  // Must be called first. `scale`: as ErrorRules has it, 1 for floats, whose squares fit into
  // doubles. The ladder may be null. False if a number or a square is not finite; then no other
  // function may be called.
  bool Measure(double scale, const UlpLadder* ladder);
  const StripErrors& errors() const { return errors_; }

  // The number of relative errors beyond 0.1, 0.01 and 0.001.
  struct Relatives {
    int64_t tenth = 0, hundredth = 0, thousandth = 0;
  };
  Relatives CountRelatives() const;

  // The number of differences beyond atol + rtol * max(|a|, |b|).
  int64_t CountBeyond(double atol, double rtol) const;

  // The first pair from `i` on whose error exceeds one of these; the count if there is none.
  int64_t NextWorse(int64_t i, double absolute, double relative) const;
  double AbsoluteAt(int64_t i) const;
  double RelativeAt(int64_t i) const { return relatives_[i]; }

  // The result of MomentsOfStrip; only if the strip was measured with a scale of 1.
  PairMoments Totals(const Counting& counting) const;

 private:
  void SumSizes(double scale);
  void SumErrors(double scale);

  const Number* a_;
  const Number* b_;
  int64_t count_;
  double* relatives_;
  StripErrors errors_;
};

}  // namespace onnxcmp::lanes

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_FINITE_STRIP_H_
