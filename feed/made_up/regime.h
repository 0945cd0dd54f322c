// Kinds of made-up numbers.
#ifndef ONNXCMP_FEED_MADE_UP_REGIME_H_
#define ONNXCMP_FEED_MADE_UP_REGIME_H_

#include <cstdint>

namespace onnxcmp {

// All but the first are for searches for inputs on which two models differ.
enum class Regime : uint8_t {
  kUsual,      // normal numbers of both signs; ids from all of the table
  kZeros,      // nothing but 0; no mask
  kOnes,       // nothing but 1
  kTies,       // few different numbers
  kTiny,       // times 1e-4
  kSmall,      // times 1e-2
  kLarge,      // times 60
  kHuge,       // times 1e4
  kPositive,   // none below 0
  kNegative,   // none above 0
  kWhole,      // whole numbers and halves
  kEnds,       // ids, lengths and integers at the ends of their ranges; masks of one element
  kSmooth,     // like their neighbours, as in images and signals
  kEven,       // none likelier than others, from end to end of a range that is known
  kScenes,     // like all around them and in other channels, as in photographs
  kAscending,  // each row in order of size
  kNothing,    // masks and lengths of some rows leave no element; in no search
};
inline constexpr int kRegimes = 16;  // without the last

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_REGIME_H_
