#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/traditionalml/class_labels.h"
#include "ops/traditionalml/key_index.h"

namespace onnxcmp {
namespace {

// OneHotEncoder (ai.onnx.ml 1): Y[..., i] is 1 where X is category i (the last of equal ones), else
// 0. Numbers are truncated to integers. What is no category is all zeros, or an error if `zeros` is
// 0.
absl::StatusOr<Kernel> OneHotEncoder(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Tensor categories,
                      ReadRequiredLabels(node, "cats_int64s", "cats_strings"));
  const bool zeros = node.Flag("zeros");
  const int64_t count = categories.num_elements();
  const bool strings = categories.dtype() == DType::kString;
  auto index = std::make_shared<const KeyIndex>(categories, FloatKeys::kByValue);
  return [=](KernelContext& ctx) -> absl::Status {
    Tensor x = ctx.Input(0);
    if (!strings && x.dtype() != DType::kString) {
      OC_ASSIGN_OR_RETURN(x, LoadTensor<int64_t>(ctx, x));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> found, index->Find(ctx, x, -1));
    Shape shape = x.shape();
    shape.push_back(count);
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kFloat, shape));
    float* row = y.mutable_data<float>();
    std::fill(row, row + y.num_elements(), 0.0f);
    for (size_t i = 0; i < found.size(); ++i, row += count) {
      if (found[i] >= 0) {
        row[found[i]] = 1;
      } else if (!zeros) {
        return absl::InvalidArgumentError(absl::StrCat("element ", i, " is no category"));
      }
    }
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlOneHotEncoder(OpRegistry& registry) {
  registry.Add(kMlDomain, "OneHotEncoder", {1}, OneHotEncoder);
}

}  // namespace onnxcmp
