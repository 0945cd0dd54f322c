// Scales and zero points that do not fit the numbers that they are for.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_GRID_MISTAKES_H_
#define ONNXCMP_COMPARE_QUANTIZATION_GRID_MISTAKES_H_

#include <optional>
#include <string>
#include <vector>

#include "compare/quantization/grids.h"
#include "compare/quantization/quantized_weights.h"
#include "compare/quantization/twin_run.h"

namespace onnxcmp {

// What is wrong, and which constant of the quantized side that is: kNone if none is known.
struct Mistake {
  std::string text;
  int place = kNone;

  bool empty() const { return text.empty(); }
};

// A result that is rounded to one fixed scale, and the numbers that the other side has there.
struct FixedGrid {
  int result = kNone;
  GridValues values;
  double least = 0;  // of the other side's finite numbers
  double most = 0;
  double count = 0;
  // Of these: how many the grid cuts off by more than a step at either end; the mean square, in
  // steps, of what is cut off.
  double cut_below = 0;
  double cut_above = 0;
  double cut_square = 0;
  bool never_negative = false;  // the operator that makes them gives no negative ones
  bool own_numbers = false;     // nothing stands for it: they are the side's own, before rounding

  double grid_least() const { return (values.least - values.zero_points[0]) * values.scales[0]; }
  double grid_most() const { return (values.most - values.zero_points[0]) * values.scales[0]; }
};
// Nothing if the result has several scales, or measures its own, or nothing is known of its values.
std::optional<FixedGrid> FixedGridOf(const TwinRun& run, int r);

// By grid: what is wrong with it, empty for honest ones. A calibration with other data shows in
// most of them alike; so one is measured against the others, too. `made_up`: the inputs were, and
// may be smaller than those that were calibrated with.
std::vector<Mistake> GridMistakes(const TwinRun& run, const std::vector<FixedGrid>& grids,
                                  bool made_up);

// What a result is written with and read with are two things: empty if they are not. At fault is
// the one that the other side does not have, or that does not fit its values.
Mistake ReadOtherwise(const TwinRun& run, int r);

// What is wrong with the scales, the zero points or the axis of weights; empty if they are honest,
// or if the left's own weights in their place make the result worse. What has the bits of a
// constant of the other side is not at fault.
Mistake WeightsMistake(const TwinRun& run, const QuantizedWeights& weights,
                       const std::vector<int>& region, int result);

// Whether the other side's constants do in place of the weights, up to rounding: not where
// something is folded into the weights.
bool AreCounterparts(const TwinRun& run, const QuantizedWeights& weights,
                     const std::vector<int>& region, int result);

// Whether the results of a layer, given the other side's values, are those of the other side times
// a factor or moved, by channel: "" if not, or if that explains little.
std::string FactorMistake(const TwinRun& run, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_GRID_MISTAKES_H_
