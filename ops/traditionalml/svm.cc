#include "ops/traditionalml/svm.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/traditionalml/linear.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

// |x - v|^2 for all pairs. Not by way of products: those would cancel.
template <typename S>
absl::StatusOr<Tensor> SquaredDistances(const KernelContext& ctx, const Tensor& x,
                                        const Tensor& vectors, int64_t count) {
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  OC_ASSIGN_OR_RETURN(const Tensor rows, LoadTensor<S>(ctx, x));
  OC_ASSIGN_OR_RETURN(const Tensor others, LoadTensor<S>(ctx, vectors));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<S>, {shape.rows, count}));
  const int64_t features = shape.columns;
  const S* a = rows.data<S>();
  const S* b = others.data<S>();
  S* to = out.mutable_data<S>();
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, count * features));
  ctx.pool().ParallelRanges(shape.rows, grain, [&](int64_t begin, int64_t end) {
    std::vector<S> squares(static_cast<size_t>(features));
    for (int64_t n = begin; n < end; ++n) {
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t f = 0; f < features; ++f) {
          const S difference = a[n * features + f] - b[i * features + f];
          squares[static_cast<size_t>(f)] = difference * difference;
        }
        to[n * count + i] = LaneSum(squares.data(), features);
      }
    }
  });
  return out;
}

}  // namespace

absl::StatusOr<SvmKernel> ReadSvmKernel(const KernelInit& node) {
  SvmKernel kernel;
  const std::string type = node.String("kernel_type");
  if (type == "LINEAR") {
    kernel.type = SvmKernel::Type::kLinear;
  } else if (type == "POLY") {
    kernel.type = SvmKernel::Type::kPoly;
  } else if (type == "RBF") {
    kernel.type = SvmKernel::Type::kRbf;
  } else if (type == "SIGMOID") {
    kernel.type = SvmKernel::Type::kSigmoid;
  } else {
    return absl::InvalidArgumentError(absl::StrCat("kernel_type '", type, "' is unknown"));
  }
  const std::vector<float> parameters = node.Floats("kernel_params");
  if (parameters.empty()) return kernel;
  if (parameters.size() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel_params has ", parameters.size(), " elements, not 3"));
  }
  kernel.gamma = parameters[0];
  kernel.coef0 = parameters[1];
  kernel.degree = parameters[2];
  return kernel;
}

template <typename S>
absl::StatusOr<Tensor> SvmKernels(const KernelContext& ctx, const SvmKernel& kernel,
                                  const Tensor& x, const Tensor& vectors, int64_t count) {
  // Also checks the size of `vectors`.
  OC_ASSIGN_OR_RETURN(Tensor products, RowProducts<S>(ctx, x, vectors, count, "support_vectors"));
  if (kernel.type == SvmKernel::Type::kLinear) return products;
  if (kernel.type == SvmKernel::Type::kRbf) {
    OC_ASSIGN_OR_RETURN(products, SquaredDistances<S>(ctx, x, vectors, count));
  }
  S* data = products.mutable_data<S>();
  ctx.pool().ParallelRanges(products.num_elements(), 4096, [&](int64_t begin, int64_t end) {
    const int64_t size = end - begin;
    S* y = data + begin;
    const S gamma = kernel.type == SvmKernel::Type::kRbf ? -kernel.gamma : kernel.gamma;
    const S coef0 = kernel.type == SvmKernel::Type::kRbf ? 0 : kernel.coef0;
    for (int64_t i = 0; i < size; ++i) y[i] = y[i] * gamma + coef0;
    if (kernel.type == SvmKernel::Type::kRbf) {
      vec::Exp(y, size, y);
    } else if (kernel.type == SvmKernel::Type::kSigmoid) {
      vec::Tanh(y, size, y);
    } else {
      const std::vector<S> degree(static_cast<size_t>(size), S{kernel.degree});
      vec::Pow(y, degree.data(), size, y);
    }
  });
  return products;
}

template absl::StatusOr<Tensor> SvmKernels<float>(const KernelContext&, const SvmKernel&,
                                                  const Tensor&, const Tensor&, int64_t);
template absl::StatusOr<Tensor> SvmKernels<double>(const KernelContext&, const SvmKernel&,
                                                   const Tensor&, const Tensor&, int64_t);

}  // namespace onnxcmp
