#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

// -1, 0 or 1; NaN is equal to itself and greater than all numbers (as numpy.unique has it).
template <typename C>
int Compare(const C& a, const C& b) {
  if constexpr (std::is_same_v<C, std::complex<double>>) {
    const int real = Compare(a.real(), b.real());
    return real != 0 ? real : Compare(a.imag(), b.imag());
  } else {
    if (a < b) return -1;
    if (b < a) return 1;
    if constexpr (std::is_floating_point_v<C>) {
      return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
    }
    return 0;
  }
}

struct Rules {
  bool sorted;  // groups ascend; else they are in the order in which they appear
  bool nans_equal;
};

template <typename C>
bool HoldsNaN(const C* keys, int64_t count) {
  return std::any_of(keys, keys + count, [](const C& key) { return key != key; });
}

// The entries in groups of equals.
struct Groups {
  std::vector<int64_t> first;    // number of each group's first entry
  std::vector<int64_t> count;    // entries of each group
  std::vector<int64_t> inverse;  // the group of each entry
};

// `order` holds the entries' numbers; each has `block` neighbouring keys.
template <typename C>
Groups Group(const C* keys, int64_t block, const Rules& rules, absl::Span<int64_t> order) {
  const auto compare = [&](int64_t a, int64_t b) {
    for (int64_t i = 0; i < block; ++i) {
      const int result = Compare(keys[a * block + i], keys[b * block + i]);
      if (result != 0) return result;
    }
    return 0;
  };
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int result = compare(a, b);
    return result != 0 ? result < 0 : a < b;
  });
  Groups groups;
  groups.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || compare(order[i - 1], order[i]) != 0 ||
                        (!rules.nans_equal && HoldsNaN(keys + order[i] * block, block));
    if (is_new) {
      groups.first.push_back(order[i]);
      groups.count.push_back(0);
    }
    ++groups.count.back();
    groups.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(groups.first.size()) - 1;
  }
  if (rules.sorted) return groups;
  // In the order in which they appear: `by_appearance` lists the groups, `place` is its inverse.
  std::vector<size_t> by_appearance(groups.first.size());
  std::iota(by_appearance.begin(), by_appearance.end(), size_t{0});
  std::sort(by_appearance.begin(), by_appearance.end(),
            [&](size_t a, size_t b) { return groups.first[a] < groups.first[b]; });
  std::vector<int64_t> place(by_appearance.size());
  Groups appearing;
  for (size_t i = 0; i < by_appearance.size(); ++i) {
    place[by_appearance[i]] = static_cast<int64_t>(i);
    appearing.first.push_back(groups.first[by_appearance[i]]);
    appearing.count.push_back(groups.count[by_appearance[i]]);
  }
  for (const int64_t group : groups.inverse) {
    appearing.inverse.push_back(place[static_cast<size_t>(group)]);
  }
  return appearing;
}

// Groups of the entries along axis 0.
absl::StatusOr<Groups> GroupEntries(const KernelContext& ctx, const Tensor& x, const Rules& rules) {
  OC_ASSIGN_OR_RETURN(Tensor order, ctx.Allocate(DType::kInt64, {x.dim(0)}));
  const absl::Span<int64_t> numbers = {order.mutable_data<int64_t>(),
                                       static_cast<size_t>(x.dim(0))};
  const int64_t block = *NumElements(absl::MakeConstSpan(x.shape()).subspan(1));
  if (x.dtype() == DType::kString) return Group(x.string_data(), block, rules, numbers);
  const DType dtype = x.dtype() == DType::kBool ? DType::kUint8 : x.dtype();
  using All = Classes<float, double, int64_t, uint64_t, std::complex<double>>;
  return Dispatch<All>(dtype, [&]<typename C>() -> absl::StatusOr<Groups> {
    if (x.dtype() == kDTypeOf<C>) return Group(x.data<C>(), block, rules, numbers);
    OC_ASSIGN_OR_RETURN(Tensor keys, ctx.Allocate(kDTypeOf<C>, x.shape()));
    LoadElements(x.dtype(), x.raw_data(), 0, x.num_elements(), keys.mutable_data<C>());
    return Group(keys.data<C>(), block, rules, numbers);
  });
}

// Unique (ai.onnx 11, 28): the distinct entries along `axis`, or without it the distinct elements,
// in ascending order (of slices: that of the first elements that differ) or with sorted = 0 in the
// order in which they appear; also where each appears first, which each entry is, and how many are
// equal. Equal are 0 and -0, and all NaN, which come last.
//
// Unique (com.microsoft 1): of a vector, in the order in which they appear, without the first of
// these outputs; no NaN is equal to another one.
Kernel Unique(const KernelInit& node) {
  const bool is_contrib = node.node().domain == kMicrosoftDomain;
  const bool flat = is_contrib || !node.Has("axis");
  const int64_t attribute = is_contrib ? 0 : node.Int("axis", 0);
  const Rules rules = {!is_contrib && node.Flag("sorted"), !is_contrib};
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor x, ctx.ContiguousInput(0));
    if (is_contrib && x.rank() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("x must be a vector, not ", x.TypeString()));
    }
    if (flat) x = x.Reshaped({x.num_elements()});
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, x.rank()));
    Shape shape = x.shape();
    Shape strides = x.strides();
    std::rotate(shape.begin(), shape.begin() + axis, shape.begin() + axis + 1);
    std::rotate(strides.begin(), strides.begin() + axis, strides.begin() + axis + 1);
    OC_ASSIGN_OR_RETURN(const Tensor entries,
                        ctx.Contiguous(x.Strided(shape, strides, x.offset())));
    OC_ASSIGN_OR_RETURN(const Groups groups, GroupEntries(ctx, entries, rules));

    const absl::Span<const int64_t> dims = x.shape();
    const auto split = static_cast<size_t>(axis);
    const int64_t block = *NumElements(dims.subspan(split + 1));
    Shape result_shape = x.shape();
    result_shape[split] = static_cast<int64_t>(groups.first.size());
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(x.dtype(), result_shape));
    std::vector<int64_t> offsets = groups.first;
    for (int64_t& offset : offsets) offset *= block;
    GatherBlocks(x, *NumElements(dims.first(split)), x.dim(axis) * block, offsets, block,
                 ctx.pool(), &result);
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(result)));
    std::vector<const std::vector<int64_t>*> others = {&groups.inverse, &groups.count};
    if (!is_contrib) others.insert(others.begin(), &groups.first);
    for (size_t i = 0; i < others.size(); ++i) {
      const int index = static_cast<int>(i) + 1;
      if (!ctx.HasOutput(index)) continue;
      OC_ASSIGN_OR_RETURN(Tensor output,
                          ctx.Allocate(DType::kInt64, {static_cast<int64_t>(others[i]->size())}));
      std::copy(others[i]->begin(), others[i]->end(), output.mutable_data<int64_t>());
      OC_RETURN_IF_ERROR(ctx.SetOutput(index, std::move(output)));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterUnique(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Unique", {11, 28}, Unique);
  registry.Add(kMicrosoftDomain, "Unique", {1}, Unique);
}

}  // namespace onnxcmp
