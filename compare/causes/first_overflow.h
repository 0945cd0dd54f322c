// Overflows and underflows of the right's types that change a result.
#ifndef ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_
#define ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "compare/causes/cause_truth.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/causes/forced/region_noise.h"
#include "evaluator/tensor/tensor.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct FirstOverflow {
  int left = kNone;  // results
  int right = kNone;
  std::string text;  // "2147483650 overflows int32 at [3,1], ..."
};

// The first result in the region of a matched right result that wraps or is infinite on the left's
// values although no input of its node is: integers that the left has in a wider type, floats
// beyond the greatest number of their type.
std::optional<FirstOverflow> FindFirstOverflow(const ForcedRun& run, const ForcedState& state,
                                               const RegionNoise& noise, int right);

// The first result in or before that region whose small numbers the right's type has lost, if with
// these alone the region differs in double as it does: an epsilon that became 0 before a logarithm,
// a square before a quotient.
std::optional<FirstOverflow> FindFirstUnderflow(const ForcedRun& run, const ForcedState& state,
                                                int right, CauseTruth* truth);

// True if an overflow explains an integer result: wrapped numbers are no rounding.
bool IsWrapped(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise, int right);

// The same text for a tensor of the left and the right's counterpart: floats that are finite on the
// left and infinite on the right. Nothing if there are none.
std::optional<std::string> OverflowText(const Tensor& left, const Tensor& right);

// Numbers of the overflowing results that are computed from another of them, greatest first.
std::vector<size_t> AfterAnother(const absl::btree_map<size_t, int>& overflows,
                                 const ResultStream& right);

// True if the right was given saturated values because its type is narrower than the left's: then
// the difference says nothing about its nodes.
bool ReadsSaturated(const ForcedRun& run, const ForcedState& state, const RegionNoise& noise,
                    int right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FIRST_OVERFLOW_H_
