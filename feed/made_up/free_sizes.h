// Sizes for the dimensions that a model leaves open.
#ifndef ONNXCMP_FEED_MADE_UP_FREE_SIZES_H_
#define ONNXCMP_FEED_MADE_UP_FREE_SIZES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/window_lengths.h"

namespace onnxcmp {

// A dimension that is as long as two others together, as a mask of past and new tokens.
struct SizeSum {
  InputDim sum;
  InputDim past;
  InputDim added;
};

// A choice of sizes: `set` is the number of the set of inputs, `attempt` counts failed choices for
// it.
struct SizeChoice {
  int set = 0;
  int attempt = 0;
  // Factor of the length of axes that are neither a batch nor of an image.
  int stretch = 1;
  // Length of these axes instead; 0: as the set has it. Then the batch is 1, or `batch`.
  int64_t reach = 0;
  int64_t batch = 0;
  // Length of heights and widths; 0: as the set has it.
  int64_t image = 0;
  // Least number of rows, unless a batch of 1 is required: for features, keys.
  int64_t rows = 0;
  bool no_past = false;  // caches are empty
  // Factor of the size of numbers.
  double shrink = 1;
  // A sum that no name indicates.
  std::optional<SizeSum> sum = std::nullopt;
};
inline constexpr int kSizeAttempts = 8;

// Sums that a model with a cache may need, the likeliest first: of a mask's last axis (`masks` by
// input), of free or fixed dimensions of other inputs.
std::vector<SizeSum> PossibleSums(const std::vector<ValueInfo>& inputs,
                                  const std::vector<bool>& masks);

// Sizes by name of a free dimension; unnamed ones are identified by the axis, so that those of
// several inputs along one axis are equal. At first sizes differ from each other and from 1: a
// batch of 2, other axes from 16 on, the height and width of images from 32 on; names that are sums
// of others ("past_length + length", and a total of a past and a new length) get the sum. Further
// attempts use equal sizes, multiples of 32, batches of 1, ones. Axes with wider windows have as
// many windows instead.
class FreeSizes {
 public:
  FreeSizes(const std::vector<ValueInfo>& inputs, const WindowLengths& windows,
            const SizeChoice& choice, const std::map<std::string, int64_t, std::less<>>& given);

  int64_t SizeOf(const ValueInfo& input, size_t axis) const;

 private:
  static std::string KeyOf(const ValueInfo& input, size_t axis);
  static std::map<std::string, WindowLength> ByKey(const std::vector<ValueInfo>& inputs,
                                                   const WindowLengths& windows);
  std::string KeyOf(const std::vector<ValueInfo>& inputs, const InputDim& dim) const;
  // Sizes whose names are sums of others; from `plain` on in the list of usual ones, if a part is
  // not known.
  void AddUp(const std::vector<std::string>& sums, size_t plain);
  void Add(const std::vector<ValueInfo>& inputs, const SizeSum& sum,
           const std::map<std::string, int64_t, std::less<>>& given);

  std::map<std::string, int64_t, std::less<>> sizes_;
};

// True for a dimension that is called the past, which is empty before the first token.
bool IsPastLength(const TypeInfo::Dim& dim);

// "batch 2, sequence 7": the sizes of named dimensions, for messages.
std::string DescribeSizes(const std::vector<ValueInfo>& inputs, const WindowLengths& windows,
                          const SizeChoice& choice,
                          const std::map<std::string, int64_t, std::less<>>& given);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_FREE_SIZES_H_
