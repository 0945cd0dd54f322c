#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

// Where the middles of `size` elements are if the whole is from -1 to 1, or the ends' middles are
// at -1 and 1.
template <typename C>
std::vector<C> Positions(int64_t size, bool align_corners) {
  std::vector<C> positions(static_cast<size_t>(size));
  for (int64_t i = 0; i < size; ++i) {
    const auto at = static_cast<double>(2 * i + (align_corners ? 0 : 1));
    const auto whole = static_cast<double>(align_corners ? size - 1 : size);
    positions[static_cast<size_t>(i)] =
        align_corners && size == 1 ? C{0} : static_cast<C>(at / whole - 1);
  }
  return positions;
}

// The vector that position p of the flat grid is multiplied with: its coordinates, the last
// dimension first, then 1.
template <typename C>
void Coordinates(int64_t p, const std::vector<std::vector<C>>& axes, C* out) {
  for (size_t k = axes.size(); k-- > 0;) {
    const auto size = static_cast<int64_t>(axes[k].size());
    *out++ = axes[k][static_cast<size_t>(p % size)];
    p /= size;
  }
  *out = 1;
}

template <typename C>
absl::Status Run(KernelContext& ctx, bool align_corners) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> size, ctx.IntsInput(1));
  const auto rank = static_cast<int64_t>(size.size()) - 2;
  const Tensor& given = ctx.Input(0);
  if ((rank != 2 && rank != 3) || given.shape() != Shape{size[0], rank, rank + 1}) {
    return absl::InvalidArgumentError(
        absl::StrCat("theta of shape [", absl::StrJoin(given.shape(), ","), "] does not fit size ",
                     absl::StrJoin(size, "x")));
  }
  Shape shape = {size[0]};
  std::vector<std::vector<C>> axes;
  for (int64_t k = 0; k < rank; ++k) shape.push_back(size[static_cast<size_t>(k) + 2]);
  shape.push_back(rank);
  OC_ASSIGN_OR_RETURN(Tensor grid, ctx.Allocate(kDTypeOf<C>, shape));
  for (int64_t k = 0; k < rank; ++k) {
    axes.push_back(Positions<C>(size[static_cast<size_t>(k) + 2], align_corners));
  }
  OC_ASSIGN_OR_RETURN(const Tensor theta, LoadTensor<C>(ctx, given));
  const C* matrix = theta.data<C>();
  C* out = grid.mutable_data<C>();
  const int64_t positions = grid.num_elements() == 0 ? 0 : grid.num_elements() / size[0] / rank;
  for (int64_t n = 0; n < size[0]; ++n, matrix += rank * (rank + 1)) {
    for (int64_t p = 0; p < positions; ++p) {
      C at[4];
      Coordinates(p, axes, at);
      for (int64_t row = 0; row < rank; ++row) {
        C sum = 0;
        for (int64_t j = 0; j <= rank; ++j) sum += matrix[row * (rank + 1) + j] * at[j];
        *out++ = sum;
      }
    }
  }
  OC_ASSIGN_OR_RETURN(grid, StoreTensor<C>(ctx, grid, given.dtype()));
  return ctx.SetOutput(0, std::move(grid));
}

// AffineGrid (ai.onnx 20): grid[n, ..., :] = theta[n] * (x, y, [z,] 1) for the positions of `size`
// (N, C, [D,] H, W), each from -1 to 1. With align_corners, the only position of a dimension of 1
// is 0 (PyTorch, onnxruntime); ONNX's evaluator has -1, the function body NaN.
Kernel AffineGrid(const KernelInit& node) {
  const bool align_corners = node.Flag("align_corners");
  return FloatKernel(
      0, [align_corners]<typename C>(KernelContext& ctx) { return Run<C>(ctx, align_corners); });
}

}  // namespace

void RegisterAffineGrid(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "AffineGrid", {20}, AffineGrid);
}

}  // namespace onnxcmp
