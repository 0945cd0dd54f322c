// The attributes that TreeEnsembleClassifier and TreeEnsembleRegressor share.
#ifndef ONNXCMP_OPS_TRADITIONALML_TREE_ATTRIBUTES_H_
#define ONNXCMP_OPS_TRADITIONALML_TREE_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {

// Numbers of an attribute of floats, or of the tensor that may stand for it.
struct AttributeNumbers {
  std::vector<double> values;
  bool is_double = false;
};

// The numbers of a tensor of any shape.
absl::StatusOr<AttributeNumbers> NumbersOf(const Tensor& tensor, absl::string_view name);
// The numbers of attribute `name`, or (since version 3) of `name`_as_tensor.
absl::StatusOr<AttributeNumbers> ReadNumbers(const KernelInit& node, const std::string& name);

// "nodes_values has 3 elements, not 5" unless size is `want`.
absl::Status CheckLength(absl::string_view name, size_t size, size_t want);

// A model that is finished but for what is set before: aggregate, targets, and (here) the arrays
// nodes_* and base_values; `votes`: the prefix of the arrays of votes, "class" or "target", whose
// indices are in `votes`_ids.
struct TreeArrays {
  TreeEnsembleModel model;
  bool is_double = false;  // some number is: scores are added in double
};
absl::StatusOr<TreeArrays> ReadTreeArrays(const KernelInit& node, const std::string& votes);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_TREE_ATTRIBUTES_H_
