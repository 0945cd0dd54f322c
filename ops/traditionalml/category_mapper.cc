#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/traditionalml/category_kernel.h"

namespace onnxcmp {
namespace {

// CategoryMapper (ai.onnx.ml 1): strings of cats_strings become the integers beside them in
// cats_int64s and the other way round (the last of equal ones); anything else, the default.
absl::StatusOr<Kernel> CategoryMapper(const KernelInit& node) {
  const std::vector<std::string> strings = node.Strings("cats_strings");
  const std::vector<int64_t> ints = node.Ints("cats_int64s");
  if (strings.size() != ints.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", strings.size(), " cats_strings and ", ints.size(), " cats_int64s"));
  }
  return TwoWayCategoryKernel(node, strings, ints);
}

}  // namespace

void RegisterMlCategoryMapper(OpRegistry& registry) {
  registry.Add(kMlDomain, "CategoryMapper", {1}, CategoryMapper);
}

}  // namespace onnxcmp
