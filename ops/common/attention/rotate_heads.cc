#include "ops/common/attention/rotate_heads.h"

#include <algorithm>

#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

template <typename C>
void Rotate(const C* x, const RotaryShape& shape, const C* cosines, const C* sines, C* y) {
  const int64_t half = shape.rotary_dim / 2;
  const int64_t step = shape.interleaved ? 2 : 1;
  const int64_t partner = shape.interleaved ? 1 : half;
  std::copy(x, x + shape.rotary_offset, y);
  std::copy(x + shape.rotary_offset + shape.rotary_dim, x + shape.head_size,
            y + shape.rotary_offset + shape.rotary_dim);
  x += shape.rotary_offset;
  y += shape.rotary_offset;
  for (int64_t i = 0; i < half; ++i) {
    const C a = x[i * step];
    const C b = x[i * step + partner];
    y[i * step] = a * cosines[i] - b * sines[i];
    y[i * step + partner] = b * cosines[i] + a * sines[i];
  }
}

template <typename C>
absl::StatusOr<Tensor> RotateHeadsIn(const KernelContext& ctx, const Tensor& x,
                                     const RotaryShape& shape, absl::Span<const int64_t> positions,
                                     const Tensor& given_cosines, const Tensor& given_sines) {
  OC_ASSIGN_OR_RETURN(const Tensor cosines, LoadTensor<C>(ctx, given_cosines));
  OC_ASSIGN_OR_RETURN(const Tensor sines, LoadTensor<C>(ctx, given_sines));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
  const int64_t rows = shape.batch * shape.heads * shape.sequence;
  TransformLanes<C>(
      ctx.pool(), x, {rows, shape.head_size, 1}, y, [&](int64_t row, const C* from, C* to) {
        const int64_t batch = row / (shape.heads * shape.sequence);
        const int64_t in_batch = row % (shape.heads * shape.sequence);
        const int64_t s = shape.heads_first ? in_batch % shape.sequence : in_batch / shape.heads;
        const int64_t position =
            positions[static_cast<size_t>(batch * shape.sequence + s)] * (shape.rotary_dim / 2);
        Rotate(from, shape, cosines.data<C>() + position, sines.data<C>() + position, to);
      });
  return y;
}

}  // namespace

absl::StatusOr<Tensor> RotateHeads(const KernelContext& ctx, const Tensor& x,
                                   const RotaryShape& shape, absl::Span<const int64_t> positions,
                                   const Tensor& cosines, const Tensor& sines) {
  return DispatchFloat(x.dtype(), [&]<typename C>() {
    return RotateHeadsIn<C>(ctx, x, shape, positions, cosines, sines);
  });
}

}  // namespace onnxcmp
