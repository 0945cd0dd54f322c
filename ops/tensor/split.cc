#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// Pieces of the same size. If the dimension cannot be cut evenly, the last one is smaller; where a
// few pieces of the rounded size are enough (5 into 4: 2, 2, 1), those after them are empty.
std::vector<int64_t> EqualPieces(int64_t dim, int64_t pieces) {
  const int64_t size = dim / pieces + (dim % pieces != 0 ? 1 : 0);
  std::vector<int64_t> sizes(static_cast<size_t>(pieces));
  for (int64_t& piece : sizes) {
    piece = std::min(size, dim);
    dim -= piece;
  }
  return sizes;
}

absl::Status CheckSizes(absl::Span<const int64_t> sizes, int64_t dim, int outputs) {
  int64_t rest = dim;
  for (int64_t size : sizes) {
    if (size < 0 || size > rest) {
      rest = -1;
      break;
    }
    rest -= size;
  }
  if (rest != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot split a dimension of ", dim, " into ", absl::StrJoin(sizes, ", ")));
  }
  if (static_cast<int64_t>(sizes.size()) < outputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", sizes.size(), " pieces for ", outputs, " outputs"));
  }
  return absl::OkStatus();
}

absl::Status SplitInto(KernelContext& ctx, int axis, absl::Span<const int64_t> sizes) {
  const Tensor& input = ctx.Input(0);
  OC_RETURN_IF_ERROR(CheckSizes(sizes, input.dim(axis), ctx.num_outputs()));
  int64_t first = 0;
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    OC_RETURN_IF_ERROR(ctx.SetOutput(i, Narrowed(input, axis, first, size)));
    first += size;
  }
  return absl::OkStatus();
}

// The sizes that the input `split` holds: integers, but in version 1 floats like those to be split.
absl::StatusOr<std::vector<int64_t>> SizesInput(const KernelContext& ctx) {
  if (IsInteger(ctx.Input(1).dtype())) return ctx.IntsInput(1);
  OC_ASSIGN_OR_RETURN(Tensor split, ctx.ContiguousInput(1));
  std::vector<double> values(static_cast<size_t>(split.num_elements()));
  LoadElements(split.dtype(), split.raw_data(), 0, split.num_elements(), values.data());
  std::vector<int64_t> sizes;
  for (double value : values) {
    // Beyond 2^53 not every integer is a double; no tensor is that large.
    if (!(value >= 0 && value <= 0x1p53 && value == std::floor(value))) {
      return absl::InvalidArgumentError(absl::StrCat("a piece cannot have the size ", value));
    }
    sizes.push_back(static_cast<int64_t>(value));
  }
  return sizes;
}

// Split (ai.onnx 1, 2, 11, 13, 18): the input cut along `axis` into views. The sizes are the
// attribute (version 1, 2, 11) or the input (version 1, 13, 18) `split`; without it, all are the
// same, one for each output, and only from version 18 on, which counts them by `num_outputs`, the
// last may be smaller.
absl::StatusOr<Kernel> Split(const KernelInit& node) {
  const int version = node.version();
  const int64_t attribute_axis = node.Int("axis", 0);
  std::vector<int64_t> attribute;
  if (version < 13) attribute = node.Ints("split");
  int64_t pieces = node.num_outputs();
  if (version >= 18) {
    const bool counted = node.Has("num_outputs");
    pieces = node.Int("num_outputs", 0);
    if (counted == node.HasInput(1)) {
      return absl::InvalidArgumentError(
          counted ? "both the input split and the attribute num_outputs are given"
                  : "neither the input split nor the attribute num_outputs is given");
    }
    if (counted && pieces != node.num_outputs()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "num_outputs is ", pieces, ", but the node has ", node.num_outputs(), " outputs"));
    }
  }
  return [=, attribute = std::move(attribute)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(attribute_axis, ctx.Input(0).rank()));
    if (ctx.HasInput(1)) {
      OC_ASSIGN_OR_RETURN(std::vector<int64_t> sizes, SizesInput(ctx));
      return SplitInto(ctx, axis, sizes);
    }
    if (!attribute.empty()) return SplitInto(ctx, axis, attribute);
    const int64_t dim = ctx.Input(0).dim(axis);
    if (version < 18 && dim % pieces != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot split a dimension of ", dim, " into ", pieces, " equal pieces"));
    }
    return SplitInto(ctx, axis, EqualPieces(dim, pieces));
  };
}

// SplitTraining (com.microsoft 1): Split with the sizes as an input.
Kernel SplitTraining(const KernelInit& node) {
  return [attribute = node.Int("axis")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, ctx.Input(0).rank()));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, ctx.IntsInput(1));
    return SplitInto(ctx, axis, sizes);
  };
}

}  // namespace

void RegisterSplit(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Split", {1, 2, 11, 13, 18}, Split);
  registry.Add(kMicrosoftDomain, "SplitTraining", {1}, SplitTraining);
}

}  // namespace onnxcmp
