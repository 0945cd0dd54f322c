#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elementwise/broadcast.h"
#include "ops/common/products/integer_product.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

enum Inputs { kA, kAScale, kAZero, kB, kBScale, kBZero, kC, kYScale, kYZero };

// QGemm (com.microsoft 1):
//   real = (A' - a_zero_point) (B' - b_zero_point) + C, times alpha * a_scale * b_scale
//   Y = real, or saturate(round(real / y_scale) + y_zero_point)
// where ' transposes with transA or transB, and C (int32, broadcast) has the scale of the sums, so
// that alpha applies to it too. The parameters of B may be vectors over its columns.
Kernel QGemm(const KernelInit& node) {
  const double alpha = node.Float("alpha");
  const bool transpose_a = node.Flag("transA");
  const bool transpose_b = node.Flag("transB");
  return [=](KernelContext& ctx) -> absl::Status {
    const auto matrix = [&](int index, bool transpose) -> absl::StatusOr<Tensor> {
      const Tensor& x = ctx.Input(index);
      if (x.rank() != 2) {
        return absl::InvalidArgumentError(
            absl::StrCat("A and B must be matrices, not ", x.TypeString()));
      }
      return transpose ? Permuted(x, {1, 0}) : x;
    };
    OC_ASSIGN_OR_RETURN(const Tensor a, matrix(kA, transpose_a));
    OC_ASSIGN_OR_RETURN(const Tensor b, matrix(kB, transpose_b));
    Tensor c;
    Shape c_strides = {0, 0};
    if (ctx.HasInput(kC)) {
      c = ctx.Input(kC);
      const Shape product = {a.dim(0), b.dim(1)};
      OC_RETURN_IF_ERROR(CheckBroadcastsTo(c.shape(), product));
      c_strides = BroadcastStrides(c, product);
    }
    if (ctx.HasInput(kYScale) != ctx.HasInput(kYZero)) {
      return absl::InvalidArgumentError("y_scale and y_zero_point need each other");
    }
    DType dtype = ctx.Input(kAScale).dtype();
    double scale = alpha;
    std::optional<Requantization> result;
    if (ctx.HasInput(kYScale)) {
      dtype = ctx.Input(kYZero).dtype();
      OC_ASSIGN_OR_RETURN(const double y_scale, ctx.ScalarInput<double>(kYScale));
      OC_ASSIGN_OR_RETURN(const int64_t y_zero, ctx.ScalarInput<int64_t>(kYZero));
      scale /= y_scale;
      result.emplace(dtype, y_zero);
    }
    const Tensor* a_zero = &ctx.Input(kAZero);
    const Tensor* b_zero = &ctx.Input(kBZero);
    const int64_t columns = b.dim(1);
    const auto finish = [&](const ProductRow& row, std::byte* out) {
      constexpr int64_t kStrip = 256;
      const int64_t i = row.first / columns;
      for (int64_t begin = 0; begin < row.count; begin += kStrip) {
        const int64_t count = std::min(kStrip, row.count - begin);
        int32_t sums[kStrip];
        std::copy_n(row.sums + begin, count, sums);
        if (c.defined()) {
          const int32_t* addend =
              c.data<int32_t>() + i * c_strides[0] + (row.column + begin) * c_strides[1];
          for (int64_t j = 0; j < count; ++j) {
            sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) +
                                           static_cast<uint32_t>(addend[j * c_strides[1]]));
          }
        }
        const double* scales = row.column_scales + begin;
        const int64_t first = row.first + begin;
        if (result.has_value()) {
          result->Store(sums, count, row.row_scale * scale, scales, out + first);
          continue;
        }
        double values[kStrip];
        for (int64_t j = 0; j < count; ++j) {
          values[j] = sums[j] * (row.row_scale * scale * scales[j]);
        }
        StoreElements(dtype, values, count, out, first);
      }
    };
    OC_ASSIGN_OR_RETURN(Tensor y,
                        MultiplyQuantized(ctx, {&a, &ctx.Input(kAScale), a_zero},
                                          {&b, &ctx.Input(kBScale), b_zero}, dtype, finish));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterContribQGemm(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QGemm", {1}, QGemm);
}

}  // namespace onnxcmp
