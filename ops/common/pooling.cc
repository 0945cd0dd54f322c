#include "ops/common/pooling.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/lanes.h"
#include "ops/common/load_store.h"

namespace onnxcmp {

absl::StatusOr<Windows> PlanPool(const WindowAttributes& attributes, const Tensor& x) {
  if (x.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have a rank of at least 3, not ", x.TypeString()));
  }
  return attributes.Resolve(absl::MakeConstSpan(x.shape()).subspan(2), {});
}

Shape PoolShape(const Tensor& x, const Windows& windows) {
  Shape shape = {x.dim(0), x.dim(1)};
  for (const WindowDim& dim : windows) shape.push_back(dim.output);
  return shape;
}

absl::Status DropPaddingTaps(Windows* windows) {
  for (WindowDim& dim : *windows) {
    const int64_t ahead = dim.pad_begin - (dim.output - 1) * dim.stride;  // of the last window
    const int64_t behind = dim.pad_begin + dim.input;                     // of the first one
    int64_t begin = ahead > 0 ? (ahead + dim.dilation - 1) / dim.dilation : 0;
    int64_t end = behind > 0 ? std::min(dim.kernel, (behind - 1) / dim.dilation + 1) : 0;
    if (begin >= end) {  // nothing but padding: any one tap
      begin = std::min(begin, dim.kernel - 1);
      end = begin + 1;
    }
    if (end - begin > 4 * dim.input + 1024) {
      return absl::InvalidArgumentError(absl::StrCat("a kernel of ", dim.kernel, " for ", dim.input,
                                                     " elements is almost all padding"));
    }
    dim.pad_begin -= begin * dim.dilation;
    dim.kernel = end - begin;
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status GlobalPool(KernelContext& ctx, absl::FunctionRef<C(const C* x, int64_t count)> fold) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("X must have batch and channels, not ", x.TypeString()));
  }
  Shape shape(x.shape().size(), 1);
  shape[0] = x.dim(0);
  shape[1] = x.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  if (y.num_elements() > 0) {
    const int64_t length = x.num_elements() / y.num_elements();
    C* values = y.mutable_data<C>();
    ctx.pool().ParallelRanges(y.num_elements(), LaneGrain(length, 1),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t i = begin; i < end; ++i) {
                                  values[i] = fold(x.data<C>() + i * length, length);
                                }
                              });
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

template absl::Status GlobalPool<float>(KernelContext&,
                                        absl::FunctionRef<float(const float*, int64_t)>);
template absl::Status GlobalPool<double>(KernelContext&,
                                         absl::FunctionRef<double(const double*, int64_t)>);

}  // namespace onnxcmp
