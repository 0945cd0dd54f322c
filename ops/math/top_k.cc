#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/axes.h"
#include "ops/common/compute_class.h"
#include "ops/common/lanes.h"
#include "ops/common/load_store.h"

namespace onnxcmp {
namespace {

// Whether a comes before b in ascending order; NaN is the greatest of all.
template <typename C>
bool IsLess(C a, C b) {
  return a < b || (a == a && b != b);
}

// The indices of the first k elements in the wanted order, elements that are equal by index.
template <typename C>
void SelectTop(const C* x, int64_t k, bool largest, std::vector<int64_t>& indices) {
  std::iota(indices.begin(), indices.end(), int64_t{0});
  const auto comes_first = [=](int64_t a, int64_t b) {
    const C first = largest ? x[b] : x[a];
    const C second = largest ? x[a] : x[b];
    return IsLess(first, second) || (!IsLess(second, first) && a < b);
  };
  const auto end = indices.begin() + k;
  if (end != indices.end()) {
    std::nth_element(indices.begin(), end, indices.end(), comes_first);
  }
  std::sort(indices.begin(), end, comes_first);
}

template <typename C>
absl::Status SelectTopOfLanes(KernelContext& ctx, int axis, int64_t k, bool largest) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  Shape shape = x.shape();
  shape[static_cast<size_t>(axis)] = k;
  OC_ASSIGN_OR_RETURN(Tensor values, ctx.Allocate(kDTypeOf<C>, shape));
  OC_ASSIGN_OR_RETURN(Tensor positions, ctx.Allocate(DType::kInt64, shape));
  if (positions.num_elements() > 0) {
    const LaneShape lanes = LanesAlong(x.shape(), axis);
    const C* from = x.data<C>();
    C* to = values.mutable_data<C>();
    int64_t* to_positions = positions.mutable_data<int64_t>();
    const auto run = [&](int64_t begin, int64_t end) {
      std::vector<C> lane(static_cast<size_t>(lanes.length));
      std::vector<int64_t> indices(lane.size());
      for (int64_t l = begin; l < end; ++l) {
        const int64_t outer = l / lanes.inner;
        const int64_t inner = l % lanes.inner;
        const C* first = from + outer * lanes.length * lanes.inner + inner;
        for (int64_t i = 0; i < lanes.length; ++i) {
          lane[static_cast<size_t>(i)] = first[i * lanes.inner];
        }
        SelectTop(lane.data(), k, largest, indices);
        for (int64_t i = 0; i < k; ++i) {
          const int64_t index = indices[static_cast<size_t>(i)];
          const int64_t at = (outer * k + i) * lanes.inner + inner;
          to[at] = lane[static_cast<size_t>(index)];
          to_positions[at] = index;
        }
      }
    };
    constexpr int64_t kWork = 8;  // an element is compared a few times
    ctx.pool().ParallelRanges(lanes.lanes(), LaneGrain(lanes.length, kWork), run);
  }
  OC_ASSIGN_OR_RETURN(values, StoreTensor<C>(ctx, values, dtype));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(values)));
  return ctx.SetOutput(1, std::move(positions));
}

// TopK (ai.onnx 1, 10, 11, 24): the k largest (or smallest) elements along `axis` and where they
// are; of equal ones, that with the lower index comes first. k is an attribute in version 1. Open
// in the specification: NaN counts as greater than all numbers; what need not be sorted is sorted
// too.
Kernel TopK(const KernelInit& node) {
  const int64_t axis_attribute = node.Int("axis");
  const bool k_is_input = node.version() >= 10;
  const int64_t k_attribute = k_is_input ? 0 : node.Int("k");
  bool largest = true;
  if (node.version() >= 11) {
    largest = node.Flag("largest");
    node.Ignore("sorted");
  }
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    int64_t k = k_attribute;
    if (k_is_input) {
      OC_ASSIGN_OR_RETURN(k, ctx.ScalarInput<int64_t>(1));
    }
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, x.rank()));
    if (k < 0 || k > x.dim(axis)) {
      return absl::InvalidArgumentError(
          absl::StrCat("k is ", k, ", but axis ", axis, " has ", x.dim(axis), " elements"));
    }
    return Dispatch<Numbers>(
        x.dtype(), [&]<typename C>() { return SelectTopOfLanes<C>(ctx, axis, k, largest); });
  };
}

}  // namespace

void RegisterTopK(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "TopK", AllVersions(1, 24), TopK);
}

}  // namespace onnxcmp
