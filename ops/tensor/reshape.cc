#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// The shape asked for, with 0 and -1 replaced by what they stand for.
absl::StatusOr<Shape> Resolve(const Tensor& data, absl::Span<const int64_t> asked,
                              bool allow_zero) {
  Shape shape(asked.begin(), asked.end());
  int64_t unknown = -1;
  bool zero = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1) {
      if (unknown >= 0) return absl::InvalidArgumentError("more than one dimension is -1");
      unknown = static_cast<int64_t>(i);
      shape[i] = 1;
    } else if (shape[i] == 0 && !allow_zero) {
      if (i >= data.shape().size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "dimension ", i, " is 0, to be copied, but the input has rank ", data.rank()));
      }
      shape[i] = data.shape()[i];
    } else if (shape[i] == 0) {
      zero = true;
    }
  }
  if (zero && unknown >= 0) {
    return absl::InvalidArgumentError("with allowzero, 0 and -1 cannot be in one shape");
  }
  const std::optional<int64_t> known = NumElements(shape);
  bool fits = known.has_value() && *known == data.num_elements();
  if (known.has_value() && unknown >= 0) {
    fits = *known > 0 && data.num_elements() % *known == 0;
    if (fits) shape[static_cast<size_t>(unknown)] = data.num_elements() / *known;
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("cannot reshape [",
                                                   absl::StrJoin(data.shape(), ","), "] to [",
                                                   absl::StrJoin(asked, ","), "]"));
  }
  return shape;
}

// Reshape (ai.onnx 1, 5, 13, 14, 19, 21, 23, 24, 25): the same elements in row-major order in
// another shape; a view of a contiguous input. -1 stands for what is left, 0 for the dimension of
// the input (with allowzero, from version 14 on, for itself). Version 1 has the shape as an
// attribute.
Kernel Reshape(const KernelInit& node) {
  const bool by_input = node.version() >= 5;
  std::vector<int64_t> attribute;
  if (!by_input) {
    attribute = node.Ints("shape");
  }
  const bool allow_zero = node.version() >= 14 && node.Flag("allowzero");
  return [=, attribute = std::move(attribute)](KernelContext& ctx) -> absl::Status {
    std::vector<int64_t> asked = attribute;
    if (by_input) {
      OC_ASSIGN_OR_RETURN(asked, ctx.IntsInput(1));
    }
    // The shape first: an input that does not fit need not be copied.
    OC_ASSIGN_OR_RETURN(Shape shape, Resolve(ctx.Input(0), asked, allow_zero));
    OC_ASSIGN_OR_RETURN(Tensor data, ctx.ContiguousInput(0));
    return ctx.SetOutput(0, data.Reshaped(shape));
  };
}

}  // namespace

void RegisterReshape(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Reshape", {1, 5, 13, 14, 19, 21, 23, 24, 25}, Reshape);
}

}  // namespace onnxcmp
