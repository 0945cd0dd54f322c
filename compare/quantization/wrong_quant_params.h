// Finds scales and zero points that do not fit the numbers they are for.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_WRONG_QUANT_PARAMS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_WRONG_QUANT_PARAMS_H_

#include <optional>
#include <string>
#include <vector>

#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/quant_params.h"
#include "compare/quantization/quantized_weights.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// A mistake in words, and the constant of the quantized side that is wrong; kNone if none is known.
struct Mistake {
  std::string text;
  int place = kNone;

  bool empty() const { return text.empty(); }
};

// A result with one fixed scale, and the statistics of the other side's numbers there.
struct FixedQuantParams {
  int result = kNone;
  QuantParamValues values;
  double least = 0;  // range and count of the other side's finite numbers
  double most = 0;
  double count = 0;
  // Numbers clipped by more than a step at either end, and the mean square of the clipped part, in
  // steps.
  double cut_below = 0;
  double cut_above = 0;
  double cut_square = 0;
  // Numbers at the lower end of the range, others that do not become 0, and the greatest magnitude
  // of those that do.
  double at_least = 0;
  double kept = 0;
  double greatest_lost = 0;
  double zeros = 0;
  bool never_negative = false;  // the operator that makes them gives no negative numbers
  bool own_numbers = false;     // no counterpart: the side's own, before rounding

  // Counts a number, above all one that is beyond the range; the caller divides cut_square by the
  // count at the end.
  void Count(double number);

  double least_real() const { return (values.least - values.zero_points[0]) * values.scales[0]; }
  double most_real() const { return (values.most - values.zero_points[0]) * values.scales[0]; }
  // True if a router has multiplied part of the numbers by 0: other inputs may choose these, so the
  // range of the rest proves nothing. The zeros of a Relu come without negative numbers.
  bool IsGated() const { return least < 0 && zeros > 0.4 * count; }
  // True if the fill of a mask has made the range, and all other numbers become 0 in it.
  bool LosesAllButFill() const { return at_least > 0 && kept == 0 && greatest_lost > 0; }
};
// Nothing if the result has several scales or computes its own, or if its values are unknown.
std::optional<FixedQuantParams> FixedQuantParamsOf(const CounterpartRun& run, int r);

// Mistakes by set of quantization parameters; empty for honest ones. A calibration with other data
// shows in most of them alike; so each is measured against the others, too. `made_up`: the inputs
// were, and may be smaller than those of the calibration.
std::vector<Mistake> WrongQuantParams(const SideGraph& graph, const QuantParamsByResult& by_result,
                                      const std::vector<FixedQuantParams>& all_params,
                                      bool made_up);

// The mistake if a result is written and read with different quantization parameters; else empty.
// Blames the constant that the other side does not have, or that does not fit its values.
Mistake ReadOtherwise(const CounterpartRun& run, int r);

// The mistake in the scales, the zero points or the axis of weights; empty if they are correct, or
// if the other side's own weights in their place make the result worse. A constant with the bits of
// one of the other side is not at fault.
Mistake WeightsMistake(const CounterpartRun& run, const QuantizedWeights& weights,
                       const std::vector<int>& region, int result);

// True if the other side's constants can replace the weights, up to rounding; false where something
// is folded into the weights.
bool AreCounterparts(const CounterpartRun& run, const QuantizedWeights& weights,
                     const std::vector<int>& region, int result);

// Text if the local results of a layer are those of the other side scaled or shifted, by channel;
// "" if not, or if that explains little.
std::string FactorMistake(const CounterpartRun& run, int r);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_WRONG_QUANT_PARAMS_H_
