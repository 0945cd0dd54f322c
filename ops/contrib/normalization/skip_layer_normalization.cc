#include <algorithm>
#include <limits>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"

namespace onnxcmp {
namespace {

// Positions of the parameters among the inputs; -1: the operator has no such input.
struct SkipForm {
  bool centers;  // else the root mean square of the sum takes the place of its standard deviation
  int gamma;
  int beta;
  int bias;
};
constexpr SkipForm kStandard = {true, 2, 3, 4};
constexpr SkipForm kSimplified = {false, 2, -1, 3};

// A vector of the hidden size; undefined if the input is absent.
template <typename C>
absl::StatusOr<Tensor> LoadVector(const KernelContext& ctx, int index, int64_t hidden) {
  Tensor vector;
  if (index < 0 || !ctx.HasInput(index)) return vector;
  if (ctx.Input(index).shape() != Shape{hidden}) {
    return absl::InvalidArgumentError(absl::StrCat("input ", index, " has shape [",
                                                   ShapeToString(ctx.Input(index).shape()),
                                                   "], not [", hidden, "]"));
  }
  OC_ASSIGN_OR_RETURN(vector, LoadTensor<C>(ctx, ctx.Input(index)));
  return vector;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const SkipForm& form, C epsilon) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  OC_ASSIGN_OR_RETURN(Tensor input, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(Tensor skip, ctx.ContiguousInput(1));
  if (input.rank() != 2 && input.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("input has rank ", input.rank(), ", not 2 or 3"));
  }
  // skip repeats for every entry of the batch if it has none itself.
  const Shape entry(input.shape().begin() + (input.rank() == 3 ? 1 : 0), input.shape().end());
  const bool is_one_entry = skip.rank() == static_cast<int>(entry.size()) + 1 && skip.dim(0) == 1 &&
                            absl::MakeConstSpan(skip.shape()).subspan(1) == entry;
  if (skip.shape() != input.shape() && skip.shape() != entry && !is_one_entry) {
    return absl::InvalidArgumentError(absl::StrCat("skip [", ShapeToString(skip.shape()),
                                                   "] does not fit to input [",
                                                   ShapeToString(input.shape()), "]"));
  }
  const int64_t hidden = input.shape().back();
  OC_ASSIGN_OR_RETURN(const Tensor gamma, LoadVector<C>(ctx, form.gamma, hidden));
  OC_ASSIGN_OR_RETURN(const Tensor beta, LoadVector<C>(ctx, form.beta, hidden));
  OC_ASSIGN_OR_RETURN(const Tensor bias, LoadVector<C>(ctx, form.bias, hidden));
  const C* beta_data = beta.defined() ? beta.data<C>() : nullptr;

  const DType dtype = input.dtype();
  OC_ASSIGN_OR_RETURN(Tensor output, ctx.Allocate(dtype, input.shape()));
  Tensor sum;
  std::byte* sum_data = nullptr;
  if (ctx.HasOutput(3)) {
    OC_ASSIGN_OR_RETURN(sum, ctx.Allocate(dtype, input.shape()));
    sum_data = sum.mutable_raw_data();
  }
  Shape statistics_shape = input.shape();
  statistics_shape.back() = 1;
  Tensor statistics[2];  // mean, inv_std_var
  float* statistics_data[2] = {nullptr, nullptr};
  for (int i = 0; i < 2; ++i) {
    if (ctx.HasOutput(1 + i)) {
      OC_ASSIGN_OR_RETURN(statistics[i], ctx.Allocate(DType::kFloat, statistics_shape));
      statistics_data[i] = statistics[i].mutable_data<float>();
      std::fill_n(statistics_data[i], statistics[i].num_elements(),
                  std::numeric_limits<float>::quiet_NaN());  // of no elements
    }
  }

  const int64_t rows = hidden == 0 ? 0 : input.num_elements() / hidden;
  const int64_t skip_rows = hidden == 0 ? 0 : skip.num_elements() / hidden;
  std::byte* output_data = output.mutable_raw_data();
  ctx.pool().ParallelRanges(rows, LaneGrain(hidden, 8), [&](int64_t begin, int64_t end) {
    std::vector<C> scratch(static_cast<size_t>(2 * hidden));
    C* total = scratch.data();
    C* loaded = total + hidden;
    for (int64_t row = begin; row < end; ++row) {
      Row(total, hidden) = ConstRow(LoadRow(input, row, hidden, loaded), hidden);
      Row(total, hidden) += ConstRow(LoadRow(skip, row % skip_rows, hidden, loaded), hidden);
      if (bias.defined()) Row(total, hidden) += ConstRow(bias.data<C>(), hidden);
      if (sum_data != nullptr) {
        StoreElements(dtype, total, hidden, sum_data, row * hidden);
      }
      const LaneStatistics<C> of_row = form.centers ? StandardizationOf(total, hidden, epsilon)
                                                    : RootMeanSquareOf(total, hidden, epsilon);
      Standardize(total, hidden, of_row, gamma.data<C>(), beta_data, total);
      StoreElements(dtype, total, hidden, output_data, row * hidden);
      if (statistics_data[0] != nullptr) {
        statistics_data[0][row] = static_cast<float>(of_row.mean);
      }
      if (statistics_data[1] != nullptr) {
        statistics_data[1][row] = static_cast<float>(of_row.inv_std_dev);
      }
    }
  });
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(output)));
  for (int i = 0; i < 2; ++i) {
    if (ctx.HasOutput(1 + i)) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(1 + i, std::move(statistics[i])));
    }
  }
  return ctx.HasOutput(3) ? ctx.SetOutput(3, std::move(sum)) : absl::OkStatus();
}

Kernel MakeKernel(const KernelInit& node, const SkipForm& form) {
  const float epsilon = node.Float("epsilon");
  return FloatKernel(
      0, [epsilon, &form]<typename C>(KernelContext& ctx) { return Run<C>(ctx, form, epsilon); });
}

// SkipLayerNormalization (com.microsoft 1), over the last axis:
//   input_skip_bias_sum = input + skip + bias
//   output = (sum - mean) * inv_std_var * gamma + beta, inv_std_var = 1 / sqrt(var + epsilon)
// skip has the shape of input, or repeats over the batch. Narrow floats are computed in float: the
// sum is normalized unrounded. mean and inv_std_var are float.
Kernel SkipLayerNormalization(const KernelInit& node) { return MakeKernel(node, kStandard); }

// SkipSimplifiedLayerNormalization (com.microsoft 1): the same with
//   output = sum * inv_std_var * gamma, inv_std_var = 1 / sqrt(mean(sum^2) + epsilon)
// The output `mean` is 0, as in onnxruntime.
Kernel SkipSimplifiedLayerNormalization(const KernelInit& node) {
  return MakeKernel(node, kSimplified);
}

}  // namespace

void RegisterContribSkipLayerNormalization(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SkipLayerNormalization", {1}, SkipLayerNormalization);
  registry.Add(kMicrosoftDomain, "SkipSimplifiedLayerNormalization", {1},
               SkipSimplifiedLayerNormalization);
}

}  // namespace onnxcmp
