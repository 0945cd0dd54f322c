// Sizes of open dimensions with which two models run, and agree.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_
#define ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/inputs/input_mapping.h"
#include "compare/inputs/input_sets.h"
#include "compare/inputs/made_up/free_sizes.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Batches of one and of several, equal and unequal axes, short and long ones, and the numbers that
// either model's shapes hold. None if no dimension is open. The sides are left with the inputs that
// they had.
absl::StatusOr<std::vector<TriedSizes>> TrySizes(Side& left, Side& right, InputSets& inputs,
                                                 const CompareOptions& options,
                                                 const std::optional<SizeSum>& sum);

// Sizes with which both run, where they do not with the usual ones; "" if there are none among
// those that are tried. The sides keep the inputs that they have.
std::string SizesOfBoth(Side& left, Side& right, InputSets& inputs,
                        const std::optional<SizeSum>& sum);

// An axis of an input that only one side leaves open.
struct FixedSize {
  std::string text;  // "the right takes only 4 along axis 0 of `x`, the left any size"
  std::string fed;   // "4 along axis 0 of `x`, which the right has fixed"
};
std::vector<FixedSize> FixedByOneSide(const Graph& left, const Graph& right,
                                      const InputMapping& mapping);

// Sizes that only one side runs with, if both run with others: "both run with batch 4; with batch 2
// the left runs and the right does not"; "" if there are none.
std::string SizesOfOneSide(const std::vector<TriedSizes>& sizes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_
