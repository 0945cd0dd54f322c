// Describes one tensor by another if few words suffice: a factor, a permutation, a few places.
#ifndef ONNXCMP_RECORD_DIFFERENCES_VALUE_RELATION_H_
#define ONNXCMP_RECORD_DIFFERENCES_VALUE_RELATION_H_

#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A mask that a model is fed: 0 where a position is padded, 1 elsewhere; [batch, positions].
struct NamedMask {
  std::string name;
  Tensor values;
};

// "right = 0.5 * left", "right = left with axes 1 and 2 exchanged", "only index 3 of axis 1
// differs, where right = 0": the first that holds for all elements up to rounding in the coarser
// type. Of tensors of few elements, or of unlike sizes, the first elements of both. Empty if none
// holds, if the tensors are not numbers, or if there are too many.
std::string RelationText(const Tensor& left, const Tensor& right,
                         const std::vector<NamedMask>& masks = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_VALUE_RELATION_H_
