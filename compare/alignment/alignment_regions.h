// Stage 17, regions: finds the results that a pair absorbs: of several operators that the other
// side computes in one, and of operators folded into a constant.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_REGIONS_H_
#define ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_REGIONS_H_

#include <cstdint>
#include <vector>

#include "compare/alignment/alignment_merging.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"

namespace onnxcmp {

struct Regions {
  // By result: the result of the same side that absorbed it, kNone if none did.
  std::vector<int> left_owner;
  std::vector<int> right_owner;
  std::vector<uint8_t> fused;  // by left result, of pairs
};

Regions FindRegions(const Pairing& pairing, const ValueEvidence& evidence,
                    const SharedPartners& shared);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_ALIGNMENT_REGIONS_H_
