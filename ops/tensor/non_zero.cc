#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// The row-major numbers of the elements that are not zero; `x` is contiguous.
std::vector<int64_t> NonZeroElements(const Tensor& x) {
  constexpr int64_t kStrip = 1024;
  std::vector<int64_t> found;
  for (int64_t begin = 0; begin < x.num_elements(); begin += kStrip) {
    const int64_t count = std::min(kStrip, x.num_elements() - begin);
    if (x.dtype() == DType::kString) {
      for (int64_t i = begin; i < begin + count; ++i) {
        if (!x.string_data()[i].empty()) found.push_back(i);
      }
    } else if (IsComplex(x.dtype())) {
      std::complex<double> strip[kStrip];
      LoadElements(x.dtype(), x.raw_data(), begin, count, strip);
      for (int64_t i = 0; i < count; ++i) {
        if (strip[i] != 0.0) found.push_back(begin + i);
      }
    } else {
      bool strip[kStrip];
      LoadElements(x.dtype(), x.raw_data(), begin, count, strip);
      for (int64_t i = 0; i < count; ++i) {
        if (strip[i]) found.push_back(begin + i);
      }
    }
  }
  return found;
}

// NonZero (ai.onnx 9, 13): the indices of the elements that are not zero, (rank, count), in
// row-major order. NaN is not zero, nor is any string but the empty one. Of a scalar, (0, count).
absl::Status NonZero(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  const std::vector<int64_t> found = NonZeroElements(x);
  const auto count = static_cast<int64_t>(found.size());
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kInt64, {x.rank(), count}));
  auto* out = result.mutable_data<int64_t>();
  const Shape& dims = x.shape();
  const Shape strides = RowMajorStrides(dims);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    for (const int64_t element : found) *out++ = element / strides[axis] % dims[axis];
  }
  return ctx.SetOutput(0, std::move(result));
}

}  // namespace

void RegisterNonZero(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "NonZero", {9, 13}, NonZero);
}

}  // namespace onnxcmp
