// Recorded results that the other side no longer has: what was before a normalization that is
// folded into a convolution there, before an activation that its operator does at once.
#ifndef ONNXCMP_COMPARE_VERDICT_DERIVED_RESULTS_H_
#define ONNXCMP_COMPARE_VERDICT_DERIVED_RESULTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/pair/per_side.h"
#include "compare/sides/pair_values.h"

namespace onnxcmp {

// Of a model beside a recording: recorded results without a partner, or paired by a name alone that
// is not the same, which tell how one of the model's results came about, if something vouches for
// that: another recorded result that agrees with it, or that all which was recorded of what is made
// of it agrees. `added`: pairs that are to be added to the alignment.
absl::StatusOr<std::vector<DerivedResult>> FindDerived(const PerSide<RecordedSide>& sides,
                                                       const Alignment& alignment,
                                                       absl::Span<const AddedPair> added,
                                                       int64_t keep_values,
                                                       const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_DERIVED_RESULTS_H_
