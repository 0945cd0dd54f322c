#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

// Elements of a task: whole bytes of packed types.
constexpr int64_t kGrain = 32768;

}  // namespace

template <typename C>
absl::StatusOr<Tensor> LoadTensor(const KernelContext& ctx, const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(Tensor in, ctx.Contiguous(tensor));
  if (in.dtype() == kDTypeOf<C>) return in;
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<C>, in.shape()));
  C* to = out.mutable_data<C>();
  ctx.pool().ParallelRanges(in.num_elements(), kGrain, [&](int64_t begin, int64_t end) {
    LoadElements<C>(in.dtype(), in.raw_data(), begin, end - begin, to + begin);
  });
  return out;
}

template <typename C>
absl::StatusOr<Tensor> StoreTensor(const KernelContext& ctx, const Tensor& tensor, DType dtype,
                                   Overflow overflow) {
  if (dtype == kDTypeOf<C>) return tensor;
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(dtype, tensor.shape()));
  const C* from = tensor.data<C>();
  std::byte* to = out.mutable_raw_data();
  ctx.pool().ParallelRanges(tensor.num_elements(), kGrain, [&](int64_t begin, int64_t end) {
    StoreElements<C>(dtype, from + begin, end - begin, to, begin, overflow);
  });
  return out;
}

template absl::StatusOr<Tensor> LoadTensor<float>(const KernelContext&, const Tensor&);
template absl::StatusOr<Tensor> LoadTensor<double>(const KernelContext&, const Tensor&);
template absl::StatusOr<Tensor> LoadTensor<int64_t>(const KernelContext&, const Tensor&);
template absl::StatusOr<Tensor> LoadTensor<uint64_t>(const KernelContext&, const Tensor&);
template absl::StatusOr<Tensor> StoreTensor<float>(const KernelContext&, const Tensor&, DType,
                                                   Overflow);
template absl::StatusOr<Tensor> StoreTensor<double>(const KernelContext&, const Tensor&, DType,
                                                    Overflow);
template absl::StatusOr<Tensor> StoreTensor<int64_t>(const KernelContext&, const Tensor&, DType,
                                                     Overflow);
template absl::StatusOr<Tensor> StoreTensor<uint64_t>(const KernelContext&, const Tensor&, DType,
                                                      Overflow);

}  // namespace onnxcmp
