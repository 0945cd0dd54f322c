#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/products/integer_product.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/q_ordered/matrix_order.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kAScale, kB, kBScale, kYScale, kBias, kC, kCScale, kNoZeroPoint };

// (1, rows, columns) as (rows, columns): one matrix for every matrix of A.
Tensor WithoutBatchOfOne(const Tensor& x) {
  return x.rank() == 3 && x.dim(0) == 1
             ? WithShape(x, {x.dim(1), x.dim(2)}, {x.strides()[1], x.strides()[2]})
             : x;
}

// QOrderedMatMul (com.microsoft 1): Y = A * B + bias + C of the real values, saturated to int8. A,
// C and Y are in row-major order, the matrices of B in column-major order whatever their shape
// says; scale_B is a number or a vector over the columns. B and C are one matrix or as many as A.
absl::StatusOr<Kernel> QOrderedMatMul(const KernelInit& node) {
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_A"), "order_A", MatrixOrder::kRow));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_B"), "order_B", MatrixOrder::kColumn));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_Y"), "order_Y", MatrixOrder::kRow));
  return [](KernelContext& ctx) -> absl::Status {
    const Tensor& a = ctx.Input(kA);
    for (int index : {static_cast<int>(kA), static_cast<int>(kB), static_cast<int>(kC)}) {
      if (index == kC && !ctx.HasInput(kC)) continue;
      const Tensor& x = ctx.Input(index);
      if (x.rank() != 2 && x.rank() != 3) {
        return absl::InvalidArgumentError(
            absl::StrCat("A, B and C must have rank 2 or 3, not ", x.TypeString()));
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor b,
                        Reordered(ctx, ctx.Input(kB), MatrixOrder::kColumn, MatrixOrder::kRow));
    b = WithoutBatchOfOne(b);
    if (b.rank() > a.rank() || (b.rank() == 3 && b.dim(0) != a.dim(0))) {
      return absl::InvalidArgumentError(
          absl::StrCat("A is ", a.TypeString(), ", but B ", ctx.Input(kB).TypeString()));
    }
    OC_ASSIGN_OR_RETURN(
        Tensor real,
        RealProduct(ctx, {&a, &ctx.Input(kAScale), nullptr}, {&b, &ctx.Input(kBScale), nullptr},
                    ctx.HasInput(kBias) ? &ctx.Input(kBias) : nullptr, DType::kDouble));
    if (ctx.HasInput(kC)) {
      if (!ctx.HasInput(kCScale)) return absl::InvalidArgumentError("C needs scale_C");
      OC_ASSIGN_OR_RETURN(Tensor c, RealInput(ctx, {kC, kCScale, kNoZeroPoint}));
      c = WithoutBatchOfOne(c);
      const absl::Span<const int64_t> want = absl::MakeConstSpan(real.shape());
      if (absl::MakeConstSpan(c.shape()) != want &&
          absl::MakeConstSpan(c.shape()) != want.subspan(want.size() - 2)) {
        return absl::InvalidArgumentError(absl::StrCat("C is ", ctx.Input(kC).TypeString(),
                                                       ", but the product [",
                                                       ShapeToString(real.shape()), "]"));
      }
      OC_ASSIGN_OR_RETURN(real, (ElementwiseIn<double, 2>(ctx, {&real, &c}, DType::kDouble,
                                                          [](auto x, auto y) { return x + y; })));
    } else {
      ctx.IgnoreInput(kCScale);
    }
    return EmitQuantized(ctx, real, {kYScale, kNoZeroPoint}, DType::kInt8);
  };
}

}  // namespace

void RegisterContribQOrderedMatMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QOrderedMatMul", {1}, QOrderedMatMul);
}

}  // namespace onnxcmp
