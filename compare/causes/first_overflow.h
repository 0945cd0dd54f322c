// What a type of the right cannot hold, where that makes a result another one.
#ifndef ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_
#define ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "compare/forced/forced_run.h"
#include "compare/forced/region_noise.h"
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct FirstOverflow {
  int left = kNone;  // results
  int right = kNone;
  std::string text;  // "2147483650 overflows int32 at [3,1], ..."
};

// The first result in the region of a matched result of the right that wraps or is infinite on the
// left's values although nothing that its node reads is: integers that the left has in a wider
// type, floats beyond the greatest number of theirs.
std::optional<FirstOverflow> FindFirstOverflow(const ForcedRun& run, const ForcedState& state,
                                               const RegionNoise& noise, int right);

// Whether a result of integers is what it is by such an overflow: wrapped numbers are no rounding.
bool IsWrapped(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise, int right);

// The same words of a tensor of the left and the right's in its place: floats that are finite on
// the left and infinite on the right. Nothing if there are none.
std::optional<std::string> OverflowText(const Tensor& left, const Tensor& right);

// Of results that overflow, by number, those that are computed from another of them: the numbers,
// the greatest first.
std::vector<size_t> AfterAnother(const absl::btree_map<size_t, int>& overflows,
                                 const ResultStream& right);

// Whether the right was given less than the left has, because its type ends there: then the
// difference says nothing of its nodes.
bool ReadsSaturated(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                    int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_
