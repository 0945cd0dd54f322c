#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/traditionalml/category_kernel.h"
#include "ops/traditionalml/key_index.h"

namespace onnxcmp {
namespace {

// The schema's T1 and T2. Nothing else has checked them: attributes alone tell the values' dtype.
bool IsLabelType(DType dtype) {
  return dtype == DType::kString || dtype == DType::kInt64 || dtype == DType::kFloat ||
         dtype == DType::kInt32 || dtype == DType::kInt16 || dtype == DType::kDouble;
}

// keys_* or values_* in any of their forms: `prefix` is "keys" or "values".
absl::StatusOr<Tensor> ReadList(const KernelInit& node, const std::string& prefix) {
  const std::vector<int64_t> ints = node.Ints(prefix + "_int64s");
  const std::vector<float> floats = node.Floats(prefix + "_floats");
  const std::vector<std::string> strings = node.Strings(prefix + "_strings");
  const std::optional<Tensor> tensor =
      node.version() >= 4 ? node.TensorAttribute(prefix + "_tensor") : std::nullopt;
  const int given = (ints.empty() ? 0 : 1) + (floats.empty() ? 0 : 1) + (strings.empty() ? 0 : 1) +
                    (tensor ? 1 : 0);
  if (given != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", given, " of the attributes ", prefix, "_*, not 1"));
  }
  if (!ints.empty()) return Tensor::Of<int64_t>({std::ssize(ints)}, ints);
  if (!floats.empty()) return Tensor::Of<float>({std::ssize(floats)}, floats);
  if (!strings.empty()) return Tensor::Of<std::string>({std::ssize(strings)}, strings);
  if (!IsLabelType(tensor->dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "_tensor is ", tensor->TypeString(), ", which is no type of labels"));
  }
  return tensor->Contiguous();
}

// The value for elements that are not among the keys, as one element of the values' dtype.
absl::StatusOr<Tensor> ReadDefault(const KernelInit& node, DType dtype) {
  const int64_t integer = node.Int("default_int64");
  const float real = node.Float("default_float");
  const std::string text = node.String("default_string");
  if (node.version() >= 4) {
    if (std::optional<Tensor> tensor = node.TensorAttribute("default_tensor")) {
      if (tensor->dtype() != dtype || tensor->num_elements() != 1) {
        return absl::InvalidArgumentError(absl::StrCat("default_tensor is ", tensor->TypeString(),
                                                       ", not one ", DTypeName(dtype)));
      }
      return tensor->Contiguous();
    }
  }
  switch (dtype) {
    case DType::kString:
      return Tensor::Scalar(text);
    case DType::kFloat:
      return Tensor::Scalar(real);
    case DType::kDouble:
      return Tensor::Scalar(double{real});
    case DType::kInt64:
      return Tensor::Scalar(integer);
    default: {  // int32, int16
      const int64_t greatest = dtype == DType::kInt32 ? std::numeric_limits<int32_t>::max()
                                                      : std::numeric_limits<int16_t>::max();
      if (integer > greatest || integer < -greatest - 1) {
        return absl::InvalidArgumentError(
            absl::StrCat("default_int64 ", integer, " is no ", DTypeName(dtype)));
      }
      if (dtype == DType::kInt32) return Tensor::Scalar(static_cast<int32_t>(integer));
      return Tensor::Scalar(static_cast<int16_t>(integer));
    }
  }
}

// LabelEncoder (ai.onnx.ml 2, 4): Y = values[i] where X = keys[i], else the default. Of equal keys
// the last counts. Floating-point keys are compared by their bits in version 2, by value from 4 on,
// where any NaN is found as NaN.
absl::StatusOr<Kernel> LabelEncoder(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(Tensor keys, ReadList(node, "keys"));
  OC_ASSIGN_OR_RETURN(Tensor values, ReadList(node, "values"));
  if (keys.num_elements() != values.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", keys.num_elements(), " keys and ",
                                                   values.num_elements(), " values"));
  }
  OC_ASSIGN_OR_RETURN(Tensor otherwise, ReadDefault(node, values.dtype()));
  return CategoryKernel(
      {.keys = std::move(keys),
       .values = std::move(values),
       .otherwise = std::move(otherwise),
       .float_keys = node.version() < 4 ? FloatKeys::kByBits : FloatKeys::kByValue});
}

// LabelEncoder (ai.onnx.ml 1): strings become their positions in classes_strings (the last, of
// equal ones), integers the strings there; whatever is not there, the default.
Kernel LabelEncoder1(const KernelInit& node) {
  const std::vector<std::string> classes = node.Strings("classes_strings");
  std::vector<int64_t> positions(classes.size());
  for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(i);
  return TwoWayCategoryKernel(node, classes, positions);
}

}  // namespace

void RegisterMlLabelEncoder(OpRegistry& registry) {
  registry.Add(kMlDomain, "LabelEncoder", {1}, LabelEncoder1);
  registry.Add(kMlDomain, "LabelEncoder", {2, 4}, LabelEncoder);
}

}  // namespace onnxcmp
