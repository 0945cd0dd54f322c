// Recorded results that are intermediate values of an operator of the model.
#ifndef ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_
#define ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/alignment/alignment_amendment.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// For a model beside a recording: recorded results without a partner that has their name or their
// value, but with the value of a step of one of the model's operators; or of a part of one of its
// constants. What other recorded results say of the operator's result must confirm it.
absl::StatusOr<std::vector<DerivedResult>> FindInside(const PerSide<RecordedSide>& sides,
                                                      const Alignment& alignment,
                                                      absl::Span<const AddedPair> added,
                                                      const PairValues::Watch& watch);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_INSIDE_NODES_H_
