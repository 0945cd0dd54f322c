#include "ops/common/movement/scatter.h"

#include <cmath>
#include <complex>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/complex_product.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/movement/movement.h"
#include "ops/common/reduction/lane_fold.h"

namespace onnxcmp {
namespace {

// a * b. Where it is not a number, the standard library knows if it is infinite.
struct ComplexProductFold {
  static std::complex<double> Combine(std::complex<double> a, std::complex<double> b) {
    const std::complex<double> product = ComplexProduct(a, b);
    const bool is_number = !std::isnan(product.real()) || !std::isnan(product.imag());
    return is_number ? product : a * b;
  }
};

// dst[offset of block + j] = Combine(that, update), for every element of every block.
template <typename Fold, typename C>
void FoldBlocks(const C* updates, absl::Span<const int64_t> offsets, int64_t block, C* dst) {
  for (const int64_t offset : offsets) {
    C* to = dst + offset;
    if constexpr (std::is_same_v<C, std::complex<double>>) {
      for (int64_t j = 0; j < block; ++j) to[j] = Fold::Combine(to[j], updates[j]);
    } else if (block == 1) {
      // As vectors, which choose a maximum without an unpredictable branch.
      using V = typename FoldVector<C>::Type;
      *to = Fold::Combine(V{*to}, V{*updates})[0];
    } else {
      CombineRows<Fold>(to, updates, block, to);
    }
    updates += block;
  }
}

template <typename C>
absl::StatusOr<Tensor> Loaded(const KernelContext& ctx, const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(tensor));
  OC_ASSIGN_OR_RETURN(Tensor loaded, ctx.Allocate(kDTypeOf<C>, tensor.shape()));
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
               loaded.mutable_data<C>());
  return loaded;
}

template <typename C>
absl::StatusOr<Tensor> Reduced(const KernelContext& ctx, const Tensor& data, const Tensor& updates,
                               absl::Span<const int64_t> offsets, int64_t block,
                               ScatterReduction reduction) {
  // Signed integers add and multiply as unsigned ones, which wrap around.
  using Ring = std::conditional_t<std::is_same_v<C, int64_t>, uint64_t, C>;
  OC_ASSIGN_OR_RETURN(Tensor result, Loaded<C>(ctx, data));
  Tensor addends;
  if (updates.dtype() == kDTypeOf<C>) {
    OC_ASSIGN_OR_RETURN(addends, ctx.Contiguous(updates));
  } else {
    OC_ASSIGN_OR_RETURN(addends, Loaded<C>(ctx, updates));
  }
  const C* from = addends.data<C>();
  C* to = result.mutable_data<C>();
  switch (reduction) {
    case ScatterReduction::kNone:
      break;
    case ScatterReduction::kAdd:
      FoldBlocks<SumFold>(reinterpret_cast<const Ring*>(from), offsets, block,
                          reinterpret_cast<Ring*>(to));
      break;
    case ScatterReduction::kMul:
      if constexpr (std::is_same_v<C, std::complex<double>>) {
        FoldBlocks<ComplexProductFold>(from, offsets, block, to);
      } else {
        FoldBlocks<ProductFold>(reinterpret_cast<const Ring*>(from), offsets, block,
                                reinterpret_cast<Ring*>(to));
      }
      break;
    case ScatterReduction::kMax:
    case ScatterReduction::kMin:
      if constexpr (std::is_same_v<C, std::complex<double>>) {
        return absl::InvalidArgumentError("complex numbers have no order to reduce by");
      } else if (reduction == ScatterReduction::kMax) {
        FoldBlocks<MaxFold>(from, offsets, block, to);
      } else {
        FoldBlocks<MinFold>(from, offsets, block, to);
      }
      break;
  }
  if (data.dtype() == kDTypeOf<C>) return result;
  OC_ASSIGN_OR_RETURN(Tensor stored, ctx.Allocate(data.dtype(), data.shape()));
  StoreElements(data.dtype(), result.data<C>(), result.num_elements(), stored.mutable_raw_data(),
                0);
  return stored;
}

}  // namespace

absl::StatusOr<ScatterReduction> ScatterReductionNamed(absl::string_view name) {
  if (name == "none") return ScatterReduction::kNone;
  if (name == "add") return ScatterReduction::kAdd;
  if (name == "mul") return ScatterReduction::kMul;
  if (name == "max") return ScatterReduction::kMax;
  if (name == "min") return ScatterReduction::kMin;
  return absl::InvalidArgumentError(absl::StrCat("there is no reduction \"", name, "\""));
}

absl::StatusOr<ScatterReduction> ReadScatterReduction(const KernelInit& node) {
  if (node.version() < 16) return ScatterReduction::kNone;
  const std::string name = node.String("reduction");
  OC_ASSIGN_OR_RETURN(const ScatterReduction reduction, ScatterReductionNamed(name));
  if (node.version() < 18 &&
      (reduction == ScatterReduction::kMax || reduction == ScatterReduction::kMin)) {
    return absl::InvalidArgumentError(
        absl::StrCat("version ", node.version(), " knows no reduction \"", name, "\""));
  }
  return reduction;
}

absl::StatusOr<Tensor> Scattered(const KernelContext& ctx, const Tensor& data,
                                 const Tensor& updates, absl::Span<const int64_t> offsets,
                                 int64_t block, ScatterReduction reduction) {
  if (reduction == ScatterReduction::kNone) {
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), data.shape()));
    const Shape strides = result.strides();
    CopyIntoBlock(data, strides, 0, ctx.pool(), &result);
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(updates));
    ScatterBlocks(contiguous, offsets, block, &result);
    return result;
  }
  if (data.dtype() == DType::kString) {
    return absl::UnimplementedError("a reduction of strings");
  }
  if (data.dtype() == DType::kBool) {
    return Reduced<uint64_t>(ctx, data, updates, offsets, block, reduction);
  }
  using All = Classes<float, double, int64_t, uint64_t, std::complex<double>>;
  return Dispatch<All>(data.dtype(), [&]<typename C>() {
    return Reduced<C>(ctx, data, updates, offsets, block, reduction);
  });
}

}  // namespace onnxcmp
