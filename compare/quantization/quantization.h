// What a quantized side costs, layer by layer: plain data.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/pair/per_side.h"
#include "compare/streams/result_stream.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// Signal to noise in dB is 10 log10(sum a^2 / sum (a - b)^2), a being the other side's: infinite if
// nothing differs.

// A place where numbers are rounded to a grid, or are computed from such: a result of the quantized
// side beside the one of the other side that it stands for.
struct QuantizedLayer {
  int result = kNone;   // of the quantized side: integers, or a float result of quantized weights
  int partner = kNone;  // of the other side; kNone: none was found, most figures are missing
  // The result in floats: `result` itself, or what dequantizes it; kNone if nothing does.
  int dequantized = kNone;
  std::string made_by;  // the operator whose result it is: of a Q/DQ pair the one before it
  DType dtype = DType::kUndefined;  // of the integers; kUndefined of float results
  int64_t scales = 0;               // how many there are; 0: none, or they are not known
  double scale = 0;                 // the first, with its zero point
  double zero_point = 0;
  // The numbers that the grid reaches from, to; those that the other side's result has.
  std::optional<double> grid_least, grid_most;
  std::optional<double> least, most;

  std::optional<double> sqnr;      // against the partner, as both sides ran
  std::optional<double> cosine;    // the same
  std::optional<double> own_sqnr;  // when all that it is made from has the other side's values
  // What rounding to a grid that fits explains of `own_sqnr`: the other side's numbers against a
  // step's noise, of the layer's own grid or of the one that a float result is computed from.
  std::optional<double> rounding_sqnr;
  bool in_another = false;  // what it is rounded to goes into another layer, whose own error has it
  // Shares of all elements: at the ends of the integers' range; of the steps between these ends
  // those between the least and the greatest integer.
  std::optional<double> saturated;
  std::optional<double> used;
  // Of the weights that the layer's node reads, against the other side's; the worst of several.
  std::optional<double> weights_sqnr;
  int weights = kNone;  // the result of the quantized side that these are
  // How far the other side's outputs move when only this layer's own error is put in: the root mean
  // square against that of the output, the greatest of several outputs.
  std::optional<double> cost;
  std::string mistake;  // "" if it is honest
};

// What is wrong with a scale, a zero point, an axis, or that there is none.
struct QuantizationMistake {
  int result = kNone;   // of the quantized side
  int partner = kNone;  // of the other side, if there is one
  // The scale, zero point or integers that are wrong, where one is known: a constant that `result`
  // is written with, read with or made of.
  int place = kNone;
  bool constant = false;   // a wrong number rather than a wrong node
  bool of_floats = false;  // of a node that computes with floats alone
  double error = 0;        // noise to signal that it makes, as root mean squares: what sorts them
  std::optional<double> cost;  // of its layer, as QuantizedLayer::cost
  std::string text;
};

// How far outputs are apart by quantization that is honest.
struct ExplainedNoise {
  // Of the size of the outputs: how far the own errors of all layers move them together, but of
  // those that stand out.
  double all = 0;
  // Of layers whose own error is far greater than that of most, and than what a grid that fits
  // makes of their numbers, the one that costs most.
  std::optional<QuantizedLayer> standing_out;
};

struct QuantizationReport {
  SideId side = SideId::kRight;        // which side the layers are of
  bool both = false;                   // the other one is quantized, too, and dequantized for this
  std::vector<QuantizedLayer> layers;  // what costs most first; not weighed ones after
  std::vector<QuantizationMistake> mistakes;
  // Layers of packed weights that nothing of the other side is like, so that nothing can be said of
  // their scales.
  int64_t not_looked_at = 0;
  // How far the quantized side's outputs are from the other's, as `cost`.
  std::optional<double> output_error;
  std::optional<ExplainedNoise> explained;  // if it was asked for and could be found out
  std::vector<std::string> notes;           // what was not looked at, and why
  bool too_large = false;                   // nothing was, since the results take too much memory
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_
