// Which steps of a framework a model's nodes may have swallowed.
#ifndef ONNXCMP_COMPARE_OUTPUTS_SWALLOWED_STEPS_H_
#define ONNXCMP_COMPARE_OUTPUTS_SWALLOWED_STEPS_H_

#include <string>
#include <vector>

#include "compare/streams/result_stream.h"

namespace onnxcmp {

// How far two results may be apart and still be the same, by what their types do to them.
double ReachOf(const StreamResult& a, const StreamResult& b);
// Whether two results are about the same.
bool AreNear(const StreamResult& a, const StreamResult& b);
// The difference that HowDerived() may take for noise.
double NoiseOfDerived(const StreamResult& a, const StreamResult& b);

class LayersOfModel {
 public:
  // `model` must outlive the object.
  explicit LayersOfModel(const ResultStream& model);

  // Whether a normalization may be folded into the layer that a result comes from.
  bool MayFold(int r) const;
  // Whether a result comes from a node that does an activation besides what it does. An activation
  // by itself reads what was before it: that is a result of the model, and what was recorded of it
  // has to agree with that.
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

#endif  // ONNXCMP_COMPARE_OUTPUTS_SWALLOWED_STEPS_H_
