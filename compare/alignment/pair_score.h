// Scores how well two results go together: by their values, producers and uses.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_PAIR_SCORE_H_
#define ONNXCMP_COMPARE_ALIGNMENT_PAIR_SCORE_H_

#include <cstdint>
#include <limits>

#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

// How a stage scores a pair.
enum class Scoring : uint8_t {
  kStrict,    // values count as they are
  kLoose,     // values that are apart do not rule a pair out if kind and shape agree
  kSettling,  // as kLoose; regret compares whole scores
  kResized    // nor do sizes, if kind and rank agree
};

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

class PairScore {
 public:
  // All must outlive it. Every call reads the pairing's current state.
  PairScore(const Pairing& pairing, const ValueEvidence& evidence)
      : pairing_(pairing), evidence_(evidence) {}

  double Score(int l, int r, Scoring scoring) const;

  // True for a copy (in any shape) and another result whose values are apart and whose operators
  // differ: the copy belongs to its source.
  bool Unlike(int l, int r) const;

  // True if a better partner for one of the two is still free (docs/alignment.md, "Regret").
  bool Regrets(int l, int r, Scoring scoring) const;

 private:
  // True if `l` or `r` has a free pair with a near content that is worth more than `value` and
  // whose score is no less than this pair's.
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
