// Sizes of open dimensions with which two models run, and agree.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_
#define ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/input_sets/set_case.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/side.h"
#include "feed/input_mapping.h"
#include "feed/input_sets.h"
#include "feed/made_up/free_sizes.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Makes up a case and feeds it to both sides, which lose what they had before that.
absl::StatusOr<FedInputs> FeedCase(const SetCase& one, InputSets& inputs, Side& left, Side& right);

// Tries batches of one and of several, equal and unequal axes, short and long ones, and the numbers
// that either model's shapes hold, and adds the sizes that ran and agreed to the comparison:
// nothing if no dimension is open. Sizes that only one side accepts, or on which outputs differ,
// make it differ. The sides are left with the inputs that they had.
absl::Status AddSizes(Side& left, Side& right, InputSets& inputs, const CompareOptions& options,
                      const std::optional<SizeSum>& sum, Comparison* comparison);

// Sizes with which both run, where they do not with the usual ones; "" if there are none among
// those that are tried. The sides keep the inputs that they have.
std::string SizesOfBoth(Side& left, Side& right, InputSets& inputs,
                        const std::optional<SizeSum>& sum);

// Sizes with which the right alone runs, beside a choice with which both do: another batch, or
// another length of the only axis that is open beside it, since sizes of several axes may have to
// agree. "" if the left accepts all that were tried. The sides are left with other inputs.
std::string SizesOfRightAlone(Side& left, Side& right, InputSets& inputs, const SizeChoice& both);

// Makes sizes that only one side accepts a difference: "both run with batch 4; with batch 2 the
// left runs and the right does not". Nothing if either is "".
void TellSizes(const std::string& both, SideId alone, const std::string& with,
               Comparison* comparison);

// Adds axes of inputs that only one side leaves open to what is frozen ("4 along axis 0 of `x`,
// which the right has fixed"); none of them is exercised whole. Requires that coverage was counted.
void TellFixedSizes(const Side& left, const Side& right, const InputMapping& mapping,
                    Comparison* comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_TRY_SIZES_H_
