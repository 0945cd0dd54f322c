// The labels that classifiers of ai.onnx.ml give their classes: integers or strings.
#ifndef ONNXCMP_OPS_TRADITIONALML_CLASS_LABELS_H_
#define ONNXCMP_OPS_TRADITIONALML_CLASS_LABELS_H_

#include <cmath>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The labels as a tensor of rank 1, from whichever of the two attributes the node carries; not
// defined if it carries neither. An error if both are there.
absl::StatusOr<Tensor> ReadLabels(const KernelInit& node, absl::string_view ints_name,
                                  absl::string_view strings_name);
// As above; an error if both or neither are there.
absl::StatusOr<Tensor> ReadRequiredLabels(const KernelInit& node, absl::string_view ints_name,
                                          absl::string_view strings_name);

// labels[chosen[i]] as a tensor of rank 1. Requires indices in range.
absl::StatusOr<Tensor> PickLabels(const KernelContext& ctx, const Tensor& labels,
                                  absl::Span<const int64_t> chosen);

// The index of the greatest score, the first of equals; 0 if all are NaN.
template <typename S>
int64_t TopClass(const S* scores, int64_t count) {
  int64_t top = 0;
  for (int64_t i = 1; i < count; ++i) {
    if (scores[i] > scores[top] || std::isnan(scores[top])) top = i;
  }
  return std::isnan(scores[top]) ? 0 : top;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_CLASS_LABELS_H_
