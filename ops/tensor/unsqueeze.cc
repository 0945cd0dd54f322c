#include <algorithm>
#include <cstdint>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// Unsqueeze (ai.onnx 1, 11, 13, 21, 23, 24, 25): dimensions of 1 at `axes`, which are axes of the
// output, in any order, each once. A view. Axes are an input from version 13 on.
Kernel Unsqueeze(const KernelInit& node) {
  const bool by_input = node.version() >= 13;
  std::vector<int64_t> attribute = by_input ? std::vector<int64_t>() : node.Ints("axes");
  return [by_input, attribute = std::move(attribute)](KernelContext& ctx) -> absl::Status {
    const Tensor& data = ctx.Input(0);
    std::vector<int64_t> given = attribute;
    if (by_input) {
      OC_ASSIGN_OR_RETURN(given, ctx.IntsInput(1));
    }
    const int rank = data.rank() + static_cast<int>(given.size());
    OC_ASSIGN_OR_RETURN(Axes axes, NormalizeAxes(given, rank));
    std::sort(axes.begin(), axes.end());
    Shape shape(static_cast<size_t>(rank), 1);
    Shape strides(static_cast<size_t>(rank), 1);
    auto inserted = axes.begin();
    for (size_t axis = 0, kept = 0; axis < shape.size(); ++axis) {
      if (inserted != axes.end() && *inserted == static_cast<int>(axis)) {
        ++inserted;
      } else {
        shape[axis] = data.shape()[kept];
        strides[axis] = data.strides()[kept++];
      }
    }
    return ctx.SetOutput(0, WithShape(data, shape, strides));
  };
}

}  // namespace

void RegisterUnsqueeze(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, Unsqueeze);
}

}  // namespace onnxcmp
