// How well two results go together: their values, how they were made, who uses them.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_PAIR_SCORE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_PAIR_SCORE_H_

#include <cstdint>
#include <limits>

#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// How a stage looks at a pair.
enum class Scoring : uint8_t {
  kStrict,    // values count as they are
  kLoose,     // values that are apart do not rule a pair out if kind and shape agree
  kSettling,  // as kLoose; regret compares whole scores
  kResized    // nor do sizes, if kind and rank agree
};

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

class PairScore {
 public:
  // All must outlive it. The pairing is read anew at every call.
  PairScore(const Pairing& pairing, const ValueEvidence& evidence)
      : pairing_(pairing), evidence_(evidence) {}

  double Score(int l, int r, Scoring scoring) const;

  // A copy (in whatever shape) and a result that is none, whose values are apart and whose
  // operators differ: the copy is what it repeats, and no form of something else.
  bool Unlike(int l, int r) const;

  // Whether a better partner for one of the two is still free (docs/alignment.md, "Regret").
  bool Regrets(int l, int r, Scoring scoring) const;

 private:
  // Whether a free pair of `l`, or of `r`, with a near content that is worth more than `value` has
  // a score that is no less than this pair's.
  bool HasRival(int l, int r, double value, Scoring scoring) const;
  double LooseScore(int l, int r, Scoring scoring) const;
  double Producers(int l, int r) const;
  double Inputs(int left_node, int right_node) const;
  double Uses(int l, int r) const;
  double Labels(int l, int r) const;

  const Pairing& pairing_;
  const ValueEvidence& evidence_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_PAIR_SCORE_H_
