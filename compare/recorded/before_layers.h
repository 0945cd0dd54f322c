// Recorded results that the other side no longer has: inputs of a normalization that is folded into
// a convolution there, or of an activation that its operator includes.
#ifndef ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_
#define ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// For a model beside a recording: recorded results without a partner, or paired only by different
// names, that explain how one of the model's results is computed; also those near their partner
// that are the input of an untrained normalization. Another recorded result that agrees with the
// model's must confirm it, or all recorded results that depend on the model's must agree; where no
// value of the model's is right, two recorded results that follow each other. `added`: pairs that
// will be added to the alignment; some are moved from what a normalization reads to what it gives.
absl::StatusOr<std::vector<DerivedResult>> FindDerived(const PerSide<RecordedSide>& sides,
                                                       const Alignment& alignment,
                                                       int64_t keep_values,
                                                       const PairValues::Watch& watch,
                                                       std::vector<AddedPair>* added);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_BEFORE_LAYERS_H_
