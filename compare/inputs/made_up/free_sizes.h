// Sizes for the dimensions that a model leaves open.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// A dimension is as long as two others together: what a mask of past and new tokens is for.
struct SizeSum {
  InputDim sum;
  InputDim past;
  InputDim added;
};

// A way to choose sizes: `set` is the number of the set of inputs, `attempt` counts the ways that
// were tried for it in vain.
struct SizeChoice {
  int set = 0;
  int attempt = 0;
  // How many times as long axes are that are neither a batch nor of an image.
  int stretch = 1;
  // How long these are instead; 0: as the set has it. Then there is a batch of 1, or of that size.
  int64_t reach = 0;
  int64_t batch = 0;
  // At least as many rows where nothing asks for a batch of 1: features, keys.
  int64_t rows = 0;
  // Numbers are as many times as large as usual.
  double shrink = 1;
  // What no name tells.
  std::optional<SizeSum> sum = std::nullopt;
};
inline constexpr int kSizeAttempts = 8;

// Sums that a model with a cache may need, those that are most likely first: of a mask's last axis
// (`masks` by input), of free or fixed dimensions of other inputs.
std::vector<SizeSum> PossibleSums(const std::vector<ValueInfo>& inputs,
                                  const std::vector<bool>& masks);

// By name of a free dimension; unnamed ones are told by the axis, so that those of several inputs
// along one axis are equal. At first sizes differ from each other and from 1: a batch of 2, other
// axes from 16 on, the height and width of images from 32 on; names that are sums of others
// ("past_length + length", and a total of a past and a new length) get the sum. Further attempts
// take equal sizes, multiples of 32, batches of 1, ones.
class FreeSizes {
 public:
  FreeSizes(const std::vector<ValueInfo>& inputs, const SizeChoice& choice,
            const std::map<std::string, int64_t, std::less<>>& given);

  int64_t SizeOf(const ValueInfo& input, size_t axis) const;

 private:
  static std::string KeyOf(const ValueInfo& input, size_t axis);
  std::string KeyOf(const std::vector<ValueInfo>& inputs, const InputDim& dim) const;
  void Add(const std::vector<ValueInfo>& inputs, const SizeSum& sum,
           const std::map<std::string, int64_t, std::less<>>& given);

  std::map<std::string, int64_t, std::less<>> sizes_;
};

// "batch 2, sequence 7": what was chosen for named dimensions, for messages.
std::string DescribeSizes(const std::vector<ValueInfo>& inputs, const SizeChoice& choice,
                          const std::map<std::string, int64_t, std::less<>>& given);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_
