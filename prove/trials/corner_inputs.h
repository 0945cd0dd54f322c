// Inputs at the limits of their types: NaN, infinities, large numbers.
#ifndef ONNXCMP_PROVE_TRIALS_CORNER_INPUTS_H_
#define ONNXCMP_PROVE_TRIALS_CORNER_INPUTS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "feed/feeds.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// In the order in which they are tried: the most usual first.
enum class Corner : uint8_t {
  kHundreds,   // floats times 100, where exp() overflows
  kThousands,  // times 10000
  kInfinity,
  kNan,
  kIntegers,  // integers at the ends of their type, and beyond what floats tell apart
};
inline constexpr std::array<Corner, 5> kCorners = {
    Corner::kHundreds, Corner::kThousands, Corner::kInfinity, Corner::kNan, Corner::kIntegers};

// True for numbers that are finite, so that infinities and NaN in a result are overflow.
inline bool IsOfLargeFloats(Corner corner) { return corner <= Corner::kThousands; }

// Inputs of which some elements are so; nothing if there are none of a type that can be. Both sides
// of `feeds` have the same names.
std::optional<Feeds> AtCorner(const Feeds& feeds, Corner corner);

// True if ONNX says what a graph gives there: not what becomes of NaN and infinities in integers,
// nor where they are in an order.
bool IsDefinedAt(Corner corner, const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_TRIALS_CORNER_INPUTS_H_
