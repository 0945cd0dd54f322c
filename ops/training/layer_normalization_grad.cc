#include <cstdint>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

enum class Form : uint8_t { kPlain, kSimplified, kInvertible };

template <typename C>
using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
template <typename C>
using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;

// The inputs in C. Absent: the mean of the simplified and the invertible form, the bias of others.
struct Inputs {
  Tensor dy, values, scale, mean, inv_std_dev, bias;
};

template <typename C>
absl::StatusOr<Inputs> LoadInputs(const KernelContext& ctx, Form form, const LaneShape& lanes) {
  Inputs inputs;
  const auto load = [&](int index, int64_t elements, Tensor* to) -> absl::Status {
    const Tensor& given = ctx.Input(index);
    if (given.num_elements() != elements) {
      return absl::InvalidArgumentError(absl::StrCat("input ", index, " is ", given.TypeString(),
                                                     ", not of ", elements, " elements"));
    }
    OC_ASSIGN_OR_RETURN(*to, LoadTensor<C>(ctx, given));
    return absl::OkStatus();
  };
  const int64_t rows = lanes.outer;
  int next = 0;
  OC_RETURN_IF_ERROR(load(next++, rows * lanes.length, &inputs.dy));
  OC_RETURN_IF_ERROR(load(next++, rows * lanes.length, &inputs.values));
  OC_RETURN_IF_ERROR(load(next++, lanes.length, &inputs.scale));
  if (form == Form::kPlain) OC_RETURN_IF_ERROR(load(next++, rows, &inputs.mean));
  if (form == Form::kInvertible) OC_RETURN_IF_ERROR(load(next++, lanes.length, &inputs.bias));
  OC_RETURN_IF_ERROR(load(next, rows, &inputs.inv_std_dev));
  return inputs;
}

// The normalized values of a row: from X, or from Y the way back.
template <typename C>
void Normalized(const Inputs& inputs, Form form, int64_t row, int64_t count, C* out) {
  const ConstRow<C> values(inputs.values.data<C>() + row * count, count);
  const C inv_std_dev = inputs.inv_std_dev.data<C>()[row];
  if (form == Form::kInvertible) {
    Row<C>(out, count) = (values - ConstRow<C>(inputs.bias.data<C>(), count)) /
                         ConstRow<C>(inputs.scale.data<C>(), count);
  } else {
    const C mean = form == Form::kPlain ? inputs.mean.data<C>()[row] : C{0};
    Row<C>(out, count) = (values - mean) * inv_std_dev;
  }
}

template <typename C>
absl::Status Run(KernelContext& ctx, Form form, const LaneShape& lanes) {
  OC_ASSIGN_OR_RETURN(const Inputs inputs, LoadInputs<C>(ctx, form, lanes));
  const int64_t rows = lanes.outer;
  const int64_t count = lanes.length;
  OC_ASSIGN_OR_RETURN(Tensor dx, ctx.Allocate(kDTypeOf<C>, ctx.Input(0).shape()));
  OC_ASSIGN_OR_RETURN(Tensor normalized, ctx.Allocate(kDTypeOf<C>, ctx.Input(0).shape()));
  const C* dy = inputs.dy.data<C>();
  C* dx_data = dx.mutable_data<C>();
  C* hat = normalized.mutable_data<C>();
  // dX = B - mean(B) - hat * mean(B * hat), B = dY * scale * inv_std_dev; without a mean to be
  // subtracted the first mean is not there either.
  ctx.pool().ParallelRanges(rows, LaneGrain(count, 8), [&](int64_t begin, int64_t end) {
    std::vector<C> scratch(static_cast<size_t>(count));
    Row<C> product(scratch.data(), count);
    for (int64_t row = begin; row < end; ++row) {
      Normalized<C>(inputs, form, row, count, hat + row * count);
      const ConstRow<C> x_hat(hat + row * count, count);
      Row<C> b(dx_data + row * count, count);
      b = ConstRow<C>(dy + row * count, count) * ConstRow<C>(inputs.scale.data<C>(), count) *
          inputs.inv_std_dev.data<C>()[row];
      product = b * x_hat;
      const C mean_product = LaneSum(scratch.data(), count) / static_cast<C>(count);
      if (form != Form::kSimplified) b -= LaneSum(b.data(), count) / static_cast<C>(count);
      b -= x_hat * mean_product;
    }
  });
  // Sums over the rows, one after the other.
  Tensor sums[2];  // of dY * hat, of dY
  for (int i = 0; i < (form == Form::kSimplified ? 1 : 2); ++i) {
    OC_ASSIGN_OR_RETURN(sums[i], ctx.Allocate(kDTypeOf<C>, ctx.Input(2).shape()));
    C* to = sums[i].mutable_data<C>();
    Eigen::Array<double, Eigen::Dynamic, 1> total =
        Eigen::Array<double, Eigen::Dynamic, 1>::Zero(count);
    for (int64_t row = 0; row < rows; ++row) {
      const auto gradient = ConstRow<C>(dy + row * count, count).template cast<double>();
      if (i == 0) {
        total += gradient * ConstRow<C>(hat + row * count, count).template cast<double>();
      } else {
        total += gradient;
      }
    }
    Row<C>(to, count) = total.template cast<C>();
  }
  const DType scale_type = ctx.Input(2).dtype();
  OC_ASSIGN_OR_RETURN(dx, StoreTensor<C>(ctx, dx, ctx.Input(1).dtype()));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(dx)));
  OC_ASSIGN_OR_RETURN(sums[0], StoreTensor<C>(ctx, sums[0], scale_type));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(sums[0])));
  if (form == Form::kSimplified) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(sums[1], StoreTensor<C>(ctx, sums[1], scale_type));
  return ctx.SetOutput(2, std::move(sums[1]));
}

Kernel GradKernel(const KernelInit& node, Form form) {
  return [attribute = node.Int("axis"), form](KernelContext& ctx) -> absl::Status {
    const Tensor& dy = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, dy.rank()));
    const LaneShape lanes = LanesFrom(dy.shape(), axis);
    if (lanes.length == 0 || ctx.Input(1).shape() != dy.shape()) {
      return absl::InvalidArgumentError(absl::StrCat("cannot normalize ", dy.TypeString(), " and ",
                                                     ctx.Input(1).TypeString(), " from axis ", axis,
                                                     " on"));
    }
    return DispatchFloat(ctx.Input(1).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, form, lanes); });
  };
}

// LayerNormalizationGrad (com.microsoft 1), of Y = hat * scale + bias, hat = (X - mean) *
// inv_std_dev, with B = dY * scale * inv_std_dev and means over the axes from `axis` on:
//   X_grad = B - mean(B) - hat * mean(B * hat), scale_grad = sum(dY * hat), bias_grad = sum(dY)
Kernel LayerNormalizationGrad(const KernelInit& node) { return GradKernel(node, Form::kPlain); }

// SimplifiedLayerNormalizationGrad (com.microsoft 1): the same for hat = X * inv_std_var, without
// mean(B) and without bias_grad.
Kernel SimplifiedLayerNormalizationGrad(const KernelInit& node) {
  return GradKernel(node, Form::kSimplified);
}

// InvertibleLayerNormalizationGrad (com.microsoft 1): as the first, but hat = (Y - bias) / scale.
Kernel InvertibleLayerNormalizationGrad(const KernelInit& node) {
  return GradKernel(node, Form::kInvertible);
}

}  // namespace

void RegisterTrainingLayerNormalizationGrad(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "InvertibleLayerNormalizationGrad", {1},
               InvertibleLayerNormalizationGrad);
  registry.Add(kMicrosoftDomain, "LayerNormalizationGrad", {1}, LayerNormalizationGrad);
  registry.Add(kMicrosoftDomain, "SimplifiedLayerNormalizationGrad", {1},
               SimplifiedLayerNormalizationGrad);
}

}  // namespace onnxcmp
