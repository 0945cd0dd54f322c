#include "tools/bisect/bisection.h"

namespace onnxcmp {

void TakeAnswers(const FirstBadSearch& search, Bisection* bisection) {
  bisection->bad = search.bad();
  bisection->good = search.good();
  bisection->skipped = search.Skipped();
  bisection->good_again = search.GoodAgain();
}

int ExitStatusOf(const Bisection& bisection) {
  if (bisection.bad.has_value()) return bisection.skipped.empty() ? 1 : 2;
  bool any_good = false;
  bool any_skipped = false;
  for (const BisectTrial& trial : bisection.trials) {
    any_good |= trial.answer == Answer::kGood;
    any_skipped |=
        trial.answer == Answer::kSkip && trial.candidate + 1 == bisection.candidates.size();
  }
  // The last one decides whether anything is to be found.
  return any_good && !any_skipped ? 0 : 2;
}

}  // namespace onnxcmp
