// The tensors that a model is given: its inputs' values and its initializers.
#ifndef ONNXCMP_TOOLS_REDUCE_MODEL_TENSORS_H_
#define ONNXCMP_TOOLS_REDUCE_MODEL_TENSORS_H_

#include <optional>
#include <string>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "tools/parts/known_model.h"
#include "tools/parts/part.h"

namespace onnxcmp {

class ModelTensors {
 public:
  // `known` has the values of `model`. Both must outlive the object.
  ModelTensors(const KnownModel& known, const FedModel* model) : known_(known), model_(*model) {}

  // Names of the initializers; `inputs`: those of inputs with a value, too.
  std::vector<std::string> names(bool inputs) const;
  std::optional<Tensor> Find(const std::string& name) const;
  // Another value, also of another shape. False if there is no such tensor.
  bool Replace(const std::string& name, const Tensor& value, FedModel* model) const;

 private:
  const KnownModel& known_;
  const FedModel& model_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_MODEL_TENSORS_H_
