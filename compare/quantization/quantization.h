// The quantization report: the error and cost of a quantized side, layer by layer, as plain data.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor/dtype.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// Signal to noise (SQNR) in dB is 10 log10(sum a^2 / sum (a - b)^2), where a is the other side's;
// infinite if nothing differs.

// A layer: a result of the quantized side that is rounded to integers or computed from quantized
// weights, and its counterpart of the other side.
struct QuantizedLayer {
  int result = kNone;   // the quantized side's: integers, or a float result of quantized weights
  int partner = kNone;  // the other side's; kNone: none was found, and most figures are missing
  // The result in floats: `result` itself, or its dequantized form; kNone if there is none.
  int dequantized = kNone;
  std::string made_by;  // the operator that makes it; for a Q/DQ pair, the operator before
  DType dtype = DType::kUndefined;  // the integers' type; kUndefined of float results
  int64_t scales = 0;               // number of scales; 0: none, or not known
  double scale = 0;                 // the first one, with its zero point
  double zero_point = 0;
  // Range that the integers can represent, and the range of the other side's result.
  std::optional<double> least_real, most_real;
  std::optional<double> least, most;

  std::optional<double> sqnr;      // against the partner, in the plain runs
  std::optional<double> cosine;    // the same
  std::optional<double> own_sqnr;  // local: with the other side's values as inputs
  // The part of `own_sqnr` that rounding with a fitting scale explains: the other side's numbers
  // against a step's noise, with the layer's own scale or that of a float result's inputs.
  std::optional<double> rounding_sqnr;
  bool in_another = false;  // its rounded form belongs to another layer, as does its error
  // Share of all elements at the ends of the integers' range; share of the steps between these ends
  // that lie between the least and the greatest integer.
  std::optional<double> saturated;
  std::optional<double> used;
  // SQNR of the weights that the layer's node reads, against the other side's; the worst of
  // several.
  std::optional<double> weights_sqnr;
  int weights = kNone;  // the weights' result on the quantized side
  // Distance that the other side's outputs move if only this layer's local error is put in: the
  // root mean square against that of the output, the greatest of several outputs.
  std::optional<double> cost;
  std::string mistake;  // "" if it is correct
};

// A wrong scale, zero point or axis, or a missing one.
struct QuantizationMistake {
  int result = kNone;   // the quantized side's
  int partner = kNone;  // the other side's, if there is one
  // The wrong scale, zero point or integers, if known: a constant that `result` is written with,
  // read with or made of.
  int place = kNone;
  bool constant = false;       // a wrong number rather than a wrong node
  bool of_floats = false;      // the node computes with floats alone
  double error = 0;            // noise to signal of its effect, as root mean squares
  std::optional<double> cost;  // the layer's, as QuantizedLayer::cost
  std::string text;
};

struct QuantizationReport {
  SideId side = SideId::kRight;        // the side of the layers
  bool both = false;                   // the other side is quantized, too, and dequantized for this
  std::vector<QuantizedLayer> layers;  // the most costly first; those without a cost last
  std::vector<QuantizationMistake> mistakes;
  // Number of layers of packed weights without a counterpart on the other side, so that their
  // scales cannot be judged.
  int64_t not_looked_at = 0;
  // Distance of the quantized side's outputs from the other's, as `cost`.
  std::optional<double> output_error;
  std::vector<std::string> notes;  // parts that were not examined, and why
  bool too_large = false;          // too large for the memory: nothing was examined
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANTIZATION_H_
