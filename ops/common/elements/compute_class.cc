#include "ops/common/elements/compute_class.h"

#include "absl/strings/str_cat.h"

namespace onnxcmp {

absl::Status NoComputeClass(DType dtype) {
  return absl::UnimplementedError(
      absl::StrCat("elements of type ", DTypeName(dtype), " are not supported"));
}

}  // namespace onnxcmp
