// Stage 16, merging: several results of one side share a partner on the other, as deduplicated
// initializers and removed copies do.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_MERGING_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_MERGING_H_

#include <vector>

#include "compare/alignment/pairing.h"

namespace onnxcmp {

// By result: the partner that it shares, kNone for paired results and those without a shared
// partner.
struct SharedPartners {
  std::vector<int> of_left;
  std::vector<int> of_right;
};

SharedPartners FindSharedPartners(const Pairing& pairing);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_MERGING_H_
