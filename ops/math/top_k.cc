#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lane_fold.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

template <typename C>
struct Candidate {
  C value;
  int64_t index;
};

// The elements that come first; of equal ones, that of the lower index. NaN is the greatest.
template <typename C, bool kLargest>
struct Order {
  // The order of elements or, one by one, of vectors.
  template <typename V>
  static auto IsBefore(V a, V b) {
    const V first = kLargest ? b : a;
    const V second = kLargest ? a : b;
    return (first < second) | ((first == first) & (second != second));
  }
  bool operator()(const Candidate<C>& a, const Candidate<C>& b) const {
    return IsBefore(a.value, b.value) || (!IsBefore(b.value, a.value) && a.index < b.index);
  }
};

// True if any of kBlock elements is before `last`.
constexpr int64_t kBlock = 16;
template <typename C, bool kLargest>
bool AnyIsBefore(const C* x, C last) {
  using V = typename FoldVector<C>::Type;
  const V limit = V{} + last;
  decltype(limit < limit) any{};
  for (int64_t i = 0; i < kBlock; i += FoldVector<C>::kSize) {
    V elements;
    std::memcpy(&elements, x + i, sizeof(V));
    any |= Order<C, kLargest>::IsBefore(elements, limit);
  }
  int64_t halves[4];
  std::memcpy(halves, &any, sizeof(any));
  return (halves[0] | halves[1] | halves[2] | halves[3]) != 0;
}

// The first k elements in order, k >= 1; `top` is scratch.
template <typename C, bool kLargest>
void SelectTop(const C* x, int64_t length, int64_t k, std::vector<Candidate<C>>& top) {
  using O = Order<C, kLargest>;
  top.clear();
  if (k > length / 4) {  // most are candidates
    for (int64_t i = 0; i < length; ++i) top.push_back({x[i], i});
    if (k < length) std::nth_element(top.begin(), top.begin() + k, top.end(), O());
    top.resize(static_cast<size_t>(k));
  } else {
    for (int64_t i = 0; i < k; ++i) top.push_back({x[i], i});
    // A heap of the candidates, the last one in order on top. Whole blocks hold nothing better.
    std::make_heap(top.begin(), top.end(), O());
    for (int64_t begin = k; begin < length; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, length);
      if (end - begin == kBlock && !AnyIsBefore<C, kLargest>(x + begin, top.front().value)) {
        continue;
      }
      for (int64_t i = begin; i < end; ++i) {
        if (!O::IsBefore(x[i], top.front().value)) continue;
        std::pop_heap(top.begin(), top.end(), O());
        top.back() = {x[i], i};
        std::push_heap(top.begin(), top.end(), O());
      }
    }
  }
  std::sort(top.begin(), top.end(), O());
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
    const auto select = largest ? SelectTop<C, true> : SelectTop<C, false>;
    const auto run = [&](int64_t begin, int64_t end) {
      std::vector<C> lane(static_cast<size_t>(lanes.inner == 1 ? 0 : lanes.length));
      std::vector<Candidate<C>> top;
      for (int64_t l = begin; l < end; ++l) {
        const int64_t outer = l / lanes.inner;
        const int64_t inner = l % lanes.inner;
        const C* first = from + outer * lanes.length * lanes.inner + inner;
        for (size_t i = 0; i < lane.size(); ++i) {
          lane[i] = first[static_cast<int64_t>(i) * lanes.inner];
        }
        select(lanes.inner == 1 ? first : lane.data(), lanes.length, k, top);
        for (int64_t i = 0; i < k; ++i) {
          const int64_t at = (outer * k + i) * lanes.inner + inner;
          to[at] = top[static_cast<size_t>(i)].value;
          to_positions[at] = top[static_cast<size_t>(i)].index;
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
