// Steps of a framework that a model's nodes may include.
#ifndef ONNXCMP_COMPARE_INSIDE_SWALLOWED_STEPS_H_
#define ONNXCMP_COMPARE_INSIDE_SWALLOWED_STEPS_H_

#include <string>
#include <vector>

#include "record/streams/result_stream.h"

namespace onnxcmp {

class LayersOfModel {
 public:
  // `model` must outlive the object.
  explicit LayersOfModel(const ResultStream& model);

  // True if a normalization may be folded into the layer that computes a result.
  bool MayFold(int r) const;
  // True if the node of a result may do an activation besides its own operation. An activation by
  // itself reads a result of the model, with which the recorded values have to agree.
  bool MayActivate(int r) const;
  // Operators of several steps that read a result.
  const std::vector<std::string>& OperatorsOn(int r) const { return operators_on_[Index(r)]; }

 private:
  // The node that gives a result, conversions of it aside; null if there is none.
  const StreamNode* MakerOf(int r) const;

  const ResultStream& model_;
  std::vector<std::vector<std::string>> operators_on_;  // by result
  std::vector<bool> is_normalized_;                     // by result: a node does that
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_SWALLOWED_STEPS_H_
