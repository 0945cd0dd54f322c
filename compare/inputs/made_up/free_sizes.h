// Sizes for the dimensions that a model leaves open.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "evaluator/model/model.h"

namespace onnxcmp {

// A way to choose sizes: `set` is the number of the set of inputs, `attempt` counts the ways that
// were tried for it in vain.
struct SizeChoice {
  int set = 0;
  int attempt = 0;
  // How many times as long axes are that are neither a batch nor of an image.
  int stretch = 1;
};
inline constexpr int kSizeAttempts = 8;

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

  std::map<std::string, int64_t, std::less<>> sizes_;
};

// "batch 2, sequence 7": what was chosen for named dimensions, for messages.
std::string DescribeSizes(const std::vector<ValueInfo>& inputs, const SizeChoice& choice,
                          const std::map<std::string, int64_t, std::less<>>& given);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_FREE_SIZES_H_
