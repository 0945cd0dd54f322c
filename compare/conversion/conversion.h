// Tells if one side is the other one, converted to a coarser type.
#ifndef ONNXCMP_COMPARE_CONVERSION_CONVERSION_H_
#define ONNXCMP_COMPARE_CONVERSION_CONVERSION_H_

#include <optional>

#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// float16 and bfloat16.
bool IsShortFloat(DType dtype);

struct Conversion {
  SideId converted = SideId::kRight;
  bool quantized = false;  // to integers rather than to a float of 16 bits
  double epsilon = 0;      // of the coarsest float of 16 bits; 0: there is none
  bool few_bits = false;   // some integers have less than 8 bits
  bool both = false;       // are quantized, and alike: only steps on the way differ
};

// Nothing if both sides are quantized, each in its own way, or if neither computes mostly in a
// coarser type.
std::optional<Conversion> ConversionOf(const PerSide<const ResultStream*>& streams);

// The same before anything has run, by the nodes and the constants of the models.
bool MayBeConverted(const PerSide<const Graph*>& graphs);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CONVERSION_H_
