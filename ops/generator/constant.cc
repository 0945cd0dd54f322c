#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/dense.h"

namespace onnxcmp {
namespace {

// The value_* attributes that the node carries, as tensors.
std::vector<Tensor> Values(const KernelInit& node) {
  std::vector<Tensor> values;
  auto list = [&values](const auto& elements) {
    values.push_back(Tensor::Of({static_cast<int64_t>(elements.size())}, elements));
  };
  if (std::optional<Tensor> value = node.TensorAttribute("value")) values.push_back(*value);
  if (node.Has("value_float")) values.push_back(Tensor::Scalar(node.Float("value_float")));
  if (node.Has("value_floats")) list(node.Floats("value_floats"));
  if (node.Has("value_int")) values.push_back(Tensor::Scalar(node.Int("value_int")));
  if (node.Has("value_ints")) list(node.Ints("value_ints"));
  if (node.Has("value_string")) values.push_back(Tensor::Scalar(node.String("value_string")));
  if (node.Has("value_strings")) list(node.Strings("value_strings"));
  return values;
}

// Constant (ai.onnx 1, 9, 11, 12, 13, 19, 21, 23, 24, 25): the attribute that is given: value, from
// version 11 on sparse_value (made dense), from version 12 on value_float(s), value_int(s) and
// value_string(s), which are a scalar or of one dimension.
absl::StatusOr<Kernel> Constant(const KernelInit& node) {
  std::vector<Tensor> values = Values(node);
  const std::optional<SparseTensor> sparse = node.SparseAttribute("sparse_value");
  const size_t given = values.size() + (sparse.has_value() ? 1 : 0);
  if (given != 1) {
    return absl::InvalidArgumentError(absl::StrCat("one value is needed, not ", given));
  }
  if (!sparse.has_value()) {
    return [value = std::move(values[0])](KernelContext& ctx) { return ctx.SetOutput(0, value); };
  }
  return [value = *sparse](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor dense, Dense(value, [&ctx](DType dtype, auto shape) {
                          return ctx.Allocate(dtype, shape);
                        }));
    return ctx.SetOutput(0, std::move(dense));
  };
}

}  // namespace

void RegisterConstant(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, Constant);
}

}  // namespace onnxcmp
