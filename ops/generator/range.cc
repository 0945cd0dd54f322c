#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"

namespace onnxcmp {
namespace {

// max(ceil((limit - start) / delta), 0), exactly; delta is not 0.
uint64_t CountOf(int64_t start, int64_t limit, int64_t delta) {
  if (delta > 0 ? start >= limit : start <= limit) return 0;
  // Differences and |delta| fit into uint64 whatever the signs.
  const uint64_t distance = delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                      : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
  const uint64_t step =
      delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
  return (distance - 1) / step + 1;
}

// The same in floating-point arithmetic of type T; delta is not 0.
template <typename T>
absl::StatusOr<int64_t> CountOfFloats(T start, T limit, T delta) {
  const T count = std::ceil((limit - start) / delta);
  if (!(count < static_cast<T>(std::numeric_limits<int64_t>::max()))) {
    return absl::InvalidArgumentError(absl::StrCat("a range from ", start, " to ", limit, " by ",
                                                   delta, " has no finite number of elements"));
  }
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

// The step, 1 if com.microsoft's optional input is left out.
template <typename T>
absl::StatusOr<T> DeltaOf(const KernelContext& ctx) {
  if (!ctx.HasInput(2)) return T{1};
  OC_ASSIGN_OR_RETURN(const T delta, ctx.ScalarInput<T>(2));
  if (delta == 0) return absl::InvalidArgumentError("delta is 0");
  return delta;
}

absl::Status IntegerRange(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(int64_t start, ctx.ScalarInput<int64_t>(0));
  OC_ASSIGN_OR_RETURN(int64_t limit, ctx.ScalarInput<int64_t>(1));
  OC_ASSIGN_OR_RETURN(int64_t delta, DeltaOf<int64_t>(ctx));
  const uint64_t count = CountOf(start, limit, delta);
  if (count > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return absl::ResourceExhaustedError(absl::StrCat("a range of ", count, " is too large"));
  }
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(dtype, {static_cast<int64_t>(count)}));
  auto fill = [&](auto* to) {
    // Every element lies between start and limit; that after the last one may wrap.
    auto value = static_cast<uint64_t>(start);
    for (uint64_t i = 0; i < count; ++i) {
      to[i] = static_cast<std::remove_reference_t<decltype(*to)>>(value);
      value += static_cast<uint64_t>(delta);
    }
  };
  switch (dtype) {
    case DType::kInt16:
      fill(result.mutable_data<int16_t>());
      break;
    case DType::kInt32:
      fill(result.mutable_data<int32_t>());
      break;
    default:
      fill(result.mutable_data<int64_t>());
  }
  return ctx.SetOutput(0, std::move(result));
}

// T: float or double, in which everything is computed.
template <typename T>
absl::Status FloatRange(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(T start, ctx.ScalarInput<T>(0));
  OC_ASSIGN_OR_RETURN(T limit, ctx.ScalarInput<T>(1));
  OC_ASSIGN_OR_RETURN(T delta, DeltaOf<T>(ctx));
  OC_ASSIGN_OR_RETURN(int64_t count, CountOfFloats(start, limit, delta));
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(dtype, {count}));
  std::array<T, 256> strip;
  for (int64_t first = 0; first < count; first += std::ssize(strip)) {
    const int64_t size = std::min(count - first, std::ssize(strip));
    for (int64_t i = 0; i < size; ++i) {
      strip[static_cast<size_t>(i)] = start + static_cast<T>(first + i) * delta;
    }
    StoreElements(dtype, strip.data(), size, result.mutable_raw_data(), first);
  }
  return ctx.SetOutput(0, std::move(result));
}

// Range (ai.onnx 11, 27; com.microsoft 1, where delta is optional): start + i * delta for i from 0
// to max(ceil((limit - start) / delta), 0), exclusive. Integers are exact; the function body of the
// schema counts them in float, and adds up delta where the text multiplies. float16 and bfloat16
// are computed in `stash_type`.
Kernel Range(const KernelInit& node) {
  const int64_t stash = node.version() >= 27 ? node.Int("stash_type") : 1;
  return [stash](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    if (IsInteger(dtype)) return IntegerRange(ctx);
    if (!IsNarrowFloat(dtype)) {
      return DispatchFloat(dtype, [&]<typename C>() { return FloatRange<C>(ctx); });
    }
    if (stash == static_cast<int64_t>(DType::kFloat)) return FloatRange<float>(ctx);
    if (stash == static_cast<int64_t>(DType::kDouble)) return FloatRange<double>(ctx);
    return absl::InvalidArgumentError(
        absl::StrCat("stash_type ", stash, " is neither float (1) nor double (11)"));
  };
}

}  // namespace

void RegisterRange(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Range", {11, 27}, Range);
  registry.Add(kMicrosoftDomain, "Range", {1}, Range);
}

}  // namespace onnxcmp
