#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

enum class Step : uint8_t { kDiagonal, kUp, kLeft };

template <typename C>
absl::Status Warp(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor costs, LoadTensor<C>(ctx, ctx.Input(0)));
  const int rank = costs.rank();
  if (rank < 2 || rank > 3 || (rank == 3 && costs.dim(0) != 1) || costs.num_elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the input must be M x N or 1 x M x N and not empty, not ", costs.TypeString()));
  }
  const int64_t rows = costs.dim(rank - 2);
  const int64_t columns = costs.dim(rank - 1);
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kUint8, {rows, columns}));
  std::vector<Step> steps(static_cast<size_t>(rows * columns));
  // The least cost of a path to each point of the row above, and of this row.
  std::vector<C> above(static_cast<size_t>(columns));
  std::vector<C> row(above.size());
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const auto i = static_cast<size_t>(c);
      Step step = Step::kLeft;
      C before = 0;
      if (r > 0 && c > 0) {
        const C diagonal = above[i - 1];
        const C up = above[i];
        const C left = row[i - 1];
        if (diagonal < up && diagonal < left) {
          step = Step::kDiagonal;
          before = diagonal;
        } else if (up < diagonal && up < left) {
          step = Step::kUp;
          before = up;
        } else {
          before = left;
        }
      } else if (r > 0) {
        step = Step::kUp;
        before = above[i];
      } else if (c > 0) {
        before = row[i - 1];
      }
      row[i] = before + costs.data<C>()[r * columns + c];
      steps[static_cast<size_t>(r * columns + c)] = step;
    }
    above.swap(row);
  }
  std::vector<std::pair<int64_t, int64_t>> path = {{rows - 1, columns - 1}};
  for (auto [r, c] = path.back(); r > 0 || c > 0; path.emplace_back(r, c)) {
    const Step step = steps[static_cast<size_t>(r * columns + c)];
    if (step != Step::kLeft) --r;
    if (step != Step::kUp) --c;
  }
  const auto length = static_cast<int64_t>(path.size());
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kInt32, {2, length}));
  auto* out = result.mutable_data<int32_t>();
  for (int64_t i = 0; i < length; ++i) {
    const auto& [r, c] = path[static_cast<size_t>(length - 1 - i)];
    out[i] = static_cast<int32_t>(r);
    out[length + i] = static_cast<int32_t>(c);
  }
  return ctx.SetOutput(0, std::move(result));
}

// DynamicTimeWarping (com.microsoft 1): the path through a matrix of costs from its first element
// to its last one, each step one down, one to the right or both, whose costs sum up to the least:
// the rows, then the columns of its points. Among equals, as onnxruntime: both if strictly less
// than either, else down if strictly less than the others, else right.
absl::Status DynamicTimeWarping(KernelContext& ctx) {
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() { return Warp<C>(ctx); });
}

}  // namespace

void RegisterContribDynamicTimeWarping(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "DynamicTimeWarping", {1}, DynamicTimeWarping);
}

}  // namespace onnxcmp
