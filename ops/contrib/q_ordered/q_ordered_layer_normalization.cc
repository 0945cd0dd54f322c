#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/shapes/axes.h"
#include "ops/contrib/q_ordered/matrix_order.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs { kX, kXScale, kScale, kBias, kYScale, kNoZeroPoint };

// QOrderedLayerNormalization (com.microsoft 1): (X - mean) / sqrt(variance + epsilon) * scale + B
// of the real values over the axes [axis, rank), in row-major order.
absl::StatusOr<Kernel> QOrderedLayerNormalization(const KernelInit& node) {
  const double epsilon = node.Float("epsilon");
  const int64_t axis_attribute = node.Int("axis");
  for (const char* name : {"order_X", "order_Y"}) {
    OC_RETURN_IF_ERROR(RequireOrder(node.Int(name), name, MatrixOrder::kRow));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, RealInput(ctx, {kX, kXScale, kNoZeroPoint}));
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(axis_attribute, x.rank()));
    const LaneShape lanes = LanesFrom(x.shape(), axis);
    const auto parameter = [&](int index) -> absl::StatusOr<Tensor> {
      if (ctx.Input(index).num_elements() != lanes.length) {
        return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ",
                                                       ctx.Input(index).TypeString(), ", but ",
                                                       lanes.length, " elements are normalized"));
      }
      return LoadTensor<double>(ctx, ctx.Input(index));
    };
    OC_ASSIGN_OR_RETURN(const Tensor scale, parameter(kScale));
    Tensor bias;
    if (ctx.HasInput(kBias)) {
      OC_ASSIGN_OR_RETURN(bias, parameter(kBias));
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, x.shape()));
    TransformLanes<double>(ctx.pool(), x, lanes, y, [&](int64_t, const double* from, double* to) {
      Standardize(from, lanes.length, StandardizationOf(from, lanes.length, epsilon),
                  scale.data<double>(), bias.defined() ? bias.data<double>() : nullptr, to);
    });
    return EmitQuantized(ctx, y, {kYScale, kNoZeroPoint}, DType::kInt8);
  };
}

}  // namespace

void RegisterContribQOrderedLayerNormalization(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QOrderedLayerNormalization", {1}, QOrderedLayerNormalization);
}

}  // namespace onnxcmp
