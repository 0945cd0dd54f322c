// Parts of constants that have names by the operator that reads them: gates, directions, q, k and
// v.
#ifndef ONNXCMP_COMPARE_CAUSES_NAMED_PARTS_H_
#define ONNXCMP_COMPARE_CAUSES_NAMED_PARTS_H_

#include <cstddef>
#include <string>

#include "evaluator/tensor/tensor.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// "the gates are in another order: i,o,f,c | i,f,c,o (PyTorch's)", "the directions are exchanged",
// "only gate f of direction 1 differs": how two constants that `reader` takes in input `slot`
// differ. Empty if the operator gives the input no parts, or the parts tell nothing.
std::string NamedPartsText(const StreamNode& reader, size_t slot, const Tensor& left,
                           const Tensor& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_NAMED_PARTS_H_
