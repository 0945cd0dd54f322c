// Integers with a scale and a zero point beside the floats that they stand for.
#ifndef ONNXCMP_TOOLS_FIX_INTEGER_GRID_H_
#define ONNXCMP_TOOLS_FIX_INTEGER_GRID_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// (integer - zero) * scale, by channel.
struct IntegerGrid {
  // The bounds of the type.
  double least = 0, most = 0;
  std::vector<double> scales;
  std::vector<double> zeros;  // as many as scales, or one
  int64_t inner = 1;          // elements of a channel that follow each other

  size_t ChannelOf(size_t element) const {
    return element / static_cast<size_t>(inner) % scales.size();
  }
  double ScaleOf(size_t element) const { return scales[ChannelOf(element)]; }
  double ZeroOf(size_t element) const {
    return zeros.size() == 1 ? zeros[0] : zeros[ChannelOf(element)];
  }
  std::pair<double, double> Reach(size_t channel) const;
  std::vector<double> Rounded(absl::Span<const double> floats) const;
  // True if the integers are the floats, to a step.
  bool Fits(absl::Span<const double> integers, absl::Span<const double> floats) const;
  // The greatest distance of an integer from its zero point, as a share of the greatest there is.
  double Used(absl::Span<const double> integers) const;
};

// A grid of the integers' type. A type of 32 bits has no bounds that matter.
IntegerGrid GridOf(DType dtype, std::vector<double> scales, std::vector<double> zeros,
                   int64_t inner);

// Scales of the integers as they are: as converters compute them from the floats' range, around 0
// and from end to end, then those with which they are nearest to the floats.
std::vector<IntegerGrid> WithFittedScales(const IntegerGrid& grid,
                                          absl::Span<const double> integers,
                                          absl::Span<const double> floats);
IntegerGrid WithFittedZeros(const IntegerGrid& grid, absl::Span<const double> integers,
                            absl::Span<const double> floats);
// The grid of the floats' range: around 0 if the zeros lie in the middle, else from end to end.
IntegerGrid GridOfRange(const IntegerGrid& grid, absl::Span<const double> floats);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_INTEGER_GRID_H_
