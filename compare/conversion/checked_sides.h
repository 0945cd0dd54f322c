// Both sides of a conversion as its checks read them.
#ifndef ONNXCMP_COMPARE_CONVERSION_CHECKED_SIDES_H_
#define ONNXCMP_COMPARE_CONVERSION_CHECKED_SIDES_H_

#include <vector>

#include "compare/conversion/constant_values.h"
#include "compare/conversion/conversion_matcher.h"
#include "compare/quantization/quant_params.h"
#include "compare/sides/pair_values.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// All must outlive what reads them.
struct CheckedSides {
  SideId plain_id = SideId::kLeft;
  const RecordedSide& plain_side;
  const SideGraph& plain;
  const SideGraph& converted;
  const QuantParamsByResult& params;
  const std::vector<int>& partners;  // as of ConvertedPartners()
  ConstantValues& plain_constants;
  ConstantValues& converted_constants;
  ConversionMatcher& matcher;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CHECKED_SIDES_H_
