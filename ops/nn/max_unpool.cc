#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

using Wide = __int128;  // sums and products of two int64 do not overflow it

struct Attributes {
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> strides;
  std::vector<int64_t> pads;
};

// The shape that the pool's input had at least.
absl::StatusOr<Shape> InferShape(const Attributes& attributes, const Tensor& x) {
  const size_t rank = x.shape().size() - 2;
  const auto fits = [](const std::vector<int64_t>& values, size_t want) {
    return values.empty() || values.size() == want;
  };
  if (attributes.kernel_shape.size() != rank || !fits(attributes.strides, rank) ||
      !fits(attributes.pads, 2 * rank)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kernel_shape (", absl::StrJoin(attributes.kernel_shape, ", "), "), strides (",
        absl::StrJoin(attributes.strides, ", "), ") and pads (",
        absl::StrJoin(attributes.pads, ", "), ") do not fit ", rank, " spatial dimensions"));
  }
  Shape shape = {x.dim(0), x.dim(1)};
  for (size_t i = 0; i < rank; ++i) {
    Wide size =
        Wide{x.shape()[i + 2] - 1} * (attributes.strides.empty() ? 1 : attributes.strides[i]) +
        attributes.kernel_shape[i];
    if (!attributes.pads.empty()) size -= Wide{attributes.pads[i]} + attributes.pads[i + rank];
    if (size < 0 || size > Wide{1} << 40) {
      return absl::InvalidArgumentError(
          absl::StrCat("spatial dimension ", i, " cannot be unpooled"));
    }
    shape.push_back(static_cast<int64_t>(size));
  }
  return shape;
}

// MaxUnpool (ai.onnx 9, 11, 22): zeros, but for Y[I[i]] = X[i]. Without output_shape Y has the
// shape of the smallest input that pools to X. I counts in that shape, also if output_shape is
// another one (so do ONNX's test data): its elements lie at the beginning of each dimension of Y.
// The last of equal indices wins.
Kernel MaxUnpool(const KernelInit& node) {
  Attributes attributes = {node.Ints("kernel_shape"), node.Ints("strides"), node.Ints("pads")};
  return [attributes = std::move(attributes)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const Tensor indices, ctx.ContiguousInput(1));
    if (x.rank() < 3 || indices.shape() != x.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("X and I must have one shape with at least three dimensions, not ",
                       x.TypeString(), " and ", indices.TypeString()));
    }
    OC_ASSIGN_OR_RETURN(const Shape counted, InferShape(attributes, x));
    const std::optional<int64_t> elements = NumElements(counted);
    Shape shape = counted;
    if (ctx.HasInput(2)) {
      OC_ASSIGN_OR_RETURN(const std::vector<int64_t> wanted, ctx.IntsInput(2));
      if (wanted.size() != shape.size()) {
        return absl::InvalidArgumentError(absl::StrCat("output_shape has ", wanted.size(),
                                                       " values, X ", x.rank(), " dimensions"));
      }
      shape.assign(wanted.begin(), wanted.end());
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), shape));
    std::byte* out = y.mutable_raw_data();
    std::memset(out, 0, static_cast<size_t>(y.byte_size()));
    const auto size = static_cast<size_t>(BitWidth(x.dtype()) / 8);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const int64_t index = indices.data<int64_t>()[i];
      bool is_valid = index >= 0 && elements.has_value() && index < *elements;
      int64_t at = 0;
      int64_t rest = index;
      for (int d = x.rank() - 1; d >= 0 && is_valid; --d) {
        const auto axis = static_cast<size_t>(d);
        is_valid = rest % counted[axis] < shape[axis];
        at += rest % counted[axis] * y.strides()[axis];
        rest /= counted[axis];
      }
      if (!is_valid) {
        return absl::InvalidArgumentError(
            absl::StrCat("index ", index, " into [", ShapeToString(counted),
                         "] is not in the output's [", ShapeToString(shape), "]"));
      }
      std::memcpy(out + static_cast<size_t>(at) * size,
                  x.raw_data() + static_cast<size_t>(i) * size, size);
    }
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMaxUnpool(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "MaxUnpool", {9, 11, 22}, MaxUnpool);
}

}  // namespace onnxcmp
