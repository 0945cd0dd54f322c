// The aligner's claims on two results.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_CLAIM_LOG_H_
#define ONNXCMP_COMPARE_ALIGNMENT_CLAIM_LOG_H_

#include <vector>
#include "compare/alignment/rules.h"

#include "compare/alignment/claim.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct ClaimLog {
  int left = kNone;  // the results that are asked about
  int right = kNone;
  std::vector<Claim> claims;  // each pair once, the surest first

  bool Asks(int l, int r) const { return l == left || r == right; }
  // Keeps the claim of a pair with the most points.
  void Add(int l, int r, Rule rule, double points, ClaimOutcome outcome);
  // Says how the claims ended, by left result's partner. With `mirrored` the sides change places.
  void Close(const std::vector<int>& partners, bool mirrored);
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_CLAIM_LOG_H_
