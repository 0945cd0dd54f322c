// Attributes that hold one number for all features, or one for each of them (the last axis).
#ifndef ONNXCMP_OPS_TRADITIONALML_FEATURE_ATTRIBUTE_H_
#define ONNXCMP_OPS_TRADITIONALML_FEATURE_ATTRIBUTE_H_

#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// As a tensor that is broadcast to the input: a scalar if there is one number.
template <typename T>
Tensor FeatureAttribute(const std::vector<T>& values) {
  if (values.size() == 1) return Tensor::Scalar(values[0]);
  return Tensor::Of<T>({std::ssize(values)}, values);
}

// An error unless the attribute has one number, or as many as x has features.
inline absl::Status CheckFeatures(absl::string_view name, const Tensor& attribute,
                                  const Tensor& x) {
  if (attribute.rank() == 0) return absl::OkStatus();
  const int64_t features = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
  if (x.rank() != 0 && attribute.num_elements() == features) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " has ", attribute.num_elements(),
                                                 " elements for ", features, " features"));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_FEATURE_ATTRIBUTE_H_
