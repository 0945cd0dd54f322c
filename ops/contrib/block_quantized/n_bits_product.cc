#include "ops/contrib/block_quantized/n_bits_product.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/lanes.h"
#include "ops/contrib/block_quantized/block_quantization.h"

namespace onnxcmp {
namespace {

absl::Status CheckQuantShape(absl::string_view name, const Tensor& tensor, const Shape& want,
                             bool may_be_flat = false) {
  if (tensor.shape() == want) return absl::OkStatus();
  if (may_be_flat && tensor.shape() == Shape{*NumElements(want)}) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is ", tensor.TypeString(), ", but its shape must be [", ShapeToString(want), "]"));
}

bool Given(const KernelContext& ctx, int index) { return index >= 0 && ctx.HasInput(index); }

// True if b stands for no weights: dimensions of `full` that are 0, the others as they are.
bool IsOmitted(const Tensor& b, const Shape& full) {
  if (b.num_elements() != 0 || *NumElements(full) == 0 || b.rank() != 3) return false;
  for (size_t i = 0; i < full.size(); ++i) {
    if (b.shape()[i] != 0 && b.shape()[i] != full[i]) return false;
  }
  return true;
}

// y, rows x n, plus a row.
template <typename C>
void AddBias(const Tensor& bias, const GemmBlock& block, int64_t n, C* y) {
  if (!bias.defined()) return;
  for (int64_t i = block.row_begin; i < block.row_end; ++i) {
    for (int64_t j = block.column_begin; j < block.column_end; ++j) {
      y[i * n + j] += bias.data<C>()[j];
    }
  }
}

absl::Status CheckGroupIndex(const Tensor& index, int64_t columns, int64_t padded, int64_t blocks) {
  if (index.shape() != Shape{columns} && index.shape() != Shape{padded}) {
    return absl::InvalidArgumentError(
        absl::StrCat("g_idx is ", index.TypeString(), ", but K is ", columns));
  }
  for (const int32_t block : index.AsSpan<int32_t>()) {
    if (block < 0 || block >= blocks) {
      return absl::InvalidArgumentError(absl::StrCat("g_idx names block ", block, " of ", blocks));
    }
  }
  return absl::OkStatus();
}

// Leaves `zeros` undefined if there are none, or if they are packed and columns have a group index.
template <typename C>
absl::Status LoadZeros(const KernelContext& ctx, const NBitsAttributes& attributes,
                       const Shape& shape, int input, bool has_group_index, Tensor* zeros) {
  if (!Given(ctx, input)) return absl::OkStatus();
  const Tensor& zero_points = ctx.Input(input);
  if (zero_points.dtype() != DType::kUint8) {
    OC_RETURN_IF_ERROR(CheckQuantShape("zero_points", zero_points, shape, true));
    OC_ASSIGN_OR_RETURN(*zeros, LoadTensor<C>(ctx, zero_points));
    return absl::OkStatus();
  }
  const int64_t row_bytes = (shape[1] - 1) / (8 / attributes.bits) + 1;
  OC_RETURN_IF_ERROR(CheckQuantShape("zero_points", zero_points, {shape[0], row_bytes}, true));
  if (has_group_index) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const DType codes, CodeType(attributes.bits));
  OC_ASSIGN_OR_RETURN(*zeros, LoadCodes<C>(ctx, zero_points, codes, shape[0], shape[1]));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NBitsAttributes> ReadNBitsAttributes(const KernelInit& node) {
  const NBitsAttributes attributes = {node.Int("K"), node.Int("bits"), node.Int("block_size")};
  const int64_t accuracy_level = node.Int("accuracy_level");
  if (accuracy_level < 0 || accuracy_level > 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("accuracy_level is ", accuracy_level, ", not 0 to 4"));
  }
  return CheckNBitsAttributes(attributes);
}

absl::StatusOr<NBitsAttributes> CheckNBitsAttributes(const NBitsAttributes& attributes) {
  OC_RETURN_IF_ERROR(CodeType(attributes.bits).status());
  OC_RETURN_IF_ERROR(CheckBlockSize(attributes.block_size));
  if (attributes.k < 1) {
    return absl::InvalidArgumentError(absl::StrCat("K is ", attributes.k));
  }
  return attributes;
}

template <typename C>
absl::StatusOr<Tensor> NBitsProduct(const KernelContext& ctx, const NBitsAttributes& attributes,
                                    int64_t n, const NBitsInputs& inputs, const Tensor& a) {
  const int64_t k = attributes.k;
  if (a.rank() < 1 || a.shape().back() != k) {
    return absl::InvalidArgumentError(absl::StrCat("A is ", a.TypeString(), ", but K is ", k));
  }
  const int64_t per_byte = 8 / attributes.bits;
  const int64_t blocks = (k - 1) / attributes.block_size + 1;
  const int64_t block_bytes = attributes.block_size / per_byte;
  OC_ASSIGN_OR_RETURN(const Tensor b, ctx.ContiguousInput(inputs.b));
  Tensor bias;
  if (Given(ctx, inputs.bias)) {
    OC_RETURN_IF_ERROR(CheckQuantShape("bias", ctx.Input(inputs.bias), {n}));
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(inputs.bias)));
  }
  Shape shape = a.shape();
  shape.back() = n;
  const int64_t rows = a.num_elements() / k;
  if (IsOmitted(b, {n, blocks, block_bytes})) {
    for (const int input : {inputs.scales, inputs.zero_points, inputs.group_index}) {
      if (input >= 0) ctx.IgnoreInput(input);
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
    std::fill_n(y.template mutable_data<C>(), y.num_elements(), C{0});
    AddBias(bias, {0, 0, rows, 0, n}, n, y.template mutable_data<C>());
    return y;
  }
  OC_RETURN_IF_ERROR(CheckQuantShape("B", b, {n, blocks, block_bytes}));
  OC_RETURN_IF_ERROR(CheckQuantShape("scales", ctx.Input(inputs.scales), {n, blocks}, true));
  OC_ASSIGN_OR_RETURN(const Tensor scales, LoadTensor<C>(ctx, ctx.Input(inputs.scales)));
  BlockWeights<C> weights = {n,
                             k,
                             attributes.bits,
                             attributes.block_size,
                             blocks,
                             b.data<uint8_t>(),
                             blocks * block_bytes,
                             scales.data<C>()};

  Tensor index;
  if (Given(ctx, inputs.group_index)) {
    OC_ASSIGN_OR_RETURN(index, ctx.ContiguousInput(inputs.group_index));
    OC_RETURN_IF_ERROR(CheckGroupIndex(index, k, blocks * attributes.block_size, blocks));
    weights.block_of_column = index.AsSpan<int32_t>();
  }
  Tensor zeros;
  OC_RETURN_IF_ERROR(
      LoadZeros<C>(ctx, attributes, {n, blocks}, inputs.zero_points, index.defined(), &zeros));
  if (zeros.defined()) weights.zeros = zeros.data<C>();
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  C* data = y.template mutable_data<C>();
  MultiplyByWeights<C>(ctx.pool(), rows, a.data<C>(), weights, data,
                       [&](const GemmBlock& block) { AddBias(bias, block, n, data); });
  return y;
}

template <typename C>
absl::StatusOr<Tensor> NormalizedInput(KernelContext& ctx, int64_t k, float epsilon,
                                       int sum_output) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
  if (a.rank() < 1 || a.shape().back() != k) {
    return absl::InvalidArgumentError(absl::StrCat("A is ", a.TypeString(), ", but K is ", k));
  }
  const bool has_skip = ctx.HasInput(1);
  const bool has_scale = ctx.HasInput(2);
  if (has_skip && !has_scale) return absl::InvalidArgumentError("skip is given without norm_scale");
  if (ctx.HasOutput(sum_output) && !has_skip) {
    return absl::InvalidArgumentError("input_skip_bias_sum is wanted, but skip is not given");
  }
  if (!has_scale) return a;
  OC_RETURN_IF_ERROR(CheckQuantShape("norm_scale", ctx.Input(2), {k}));
  OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx, ctx.Input(2)));
  Tensor sum = a;
  if (has_skip) {
    OC_RETURN_IF_ERROR(CheckQuantShape("skip", ctx.Input(1), a.shape()));
    OC_ASSIGN_OR_RETURN(const Tensor skip, LoadTensor<C>(ctx, ctx.Input(1)));
    OC_ASSIGN_OR_RETURN(sum, ctx.Allocate(kDTypeOf<C>, a.shape()));
    C* total = sum.template mutable_data<C>();
    for (int64_t i = 0; i < a.num_elements(); ++i) total[i] = a.data<C>()[i] + skip.data<C>()[i];
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, a.shape()));
  const LaneShape lanes = {a.num_elements() / k, k, 1};
  TransformLanes<C>(ctx.pool(), sum, lanes, y, [&](int64_t, const C* from, C* to) {
    const C mean_square = LaneSquaredDeviations(from, k, C{0}) / static_cast<C>(k);
    const C inverse = C{1} / std::sqrt(mean_square + static_cast<C>(epsilon));
    Row(to, k) = ConstRow(from, k) * inverse * ConstRow(scale.data<C>(), k);
  });
  if (ctx.HasOutput(sum_output)) {
    OC_ASSIGN_OR_RETURN(sum, StoreTensor<C>(ctx, sum, dtype));
    OC_RETURN_IF_ERROR(ctx.SetOutput(sum_output, std::move(sum)));
  }
  return y;
}

template absl::StatusOr<Tensor> NormalizedInput<float>(KernelContext&, int64_t, float, int);
template absl::StatusOr<Tensor> NormalizedInput<double>(KernelContext&, int64_t, float, int);
template absl::StatusOr<Tensor> NBitsProduct<float>(const KernelContext&, const NBitsAttributes&,
                                                    int64_t, const NBitsInputs&, const Tensor&);
template absl::StatusOr<Tensor> NBitsProduct<double>(const KernelContext&, const NBitsAttributes&,
                                                     int64_t, const NBitsInputs&, const Tensor&);

}  // namespace onnxcmp
