#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/integer_product.h"
#include "ops/common/quantized/quantization.h"
#include "ops/contrib/q_ordered/matrix_order.h"
#include "ops/contrib/quantized/quantized_operator.h"

namespace onnxcmp {
namespace {

enum Inputs {
  kInput = 0,
  kInputScale = 1,
  kGemmScale = 2,  // of Q, K, V
  kWeight = 5,
  kWeightScale = 8,
  kBias = 11,
  kScoresScale = 14,
  kWeightsScale = 15,
  kOutputScale = 16,
  kMask = 17,
  kPast = 18,
  kAttentionBias = 19,
  kNoZeroPoint = 20,
};

// Keys that a query may look at.
struct Mask {
  enum class Kind : uint8_t { kNone, kEnds, kEndsAndStarts, kKeys, kQueriesAndKeys };
  Kind kind = Kind::kNone;
  std::vector<int64_t> values;
  int64_t batch = 0;
  int64_t length = 0;
  bool unidirectional = false;

  static absl::StatusOr<Mask> Load(const KernelContext& ctx, int64_t batch, int64_t length,
                                   bool unidirectional) {
    Mask mask;
    mask.batch = batch;
    mask.length = length;
    mask.unidirectional = unidirectional;
    if (!ctx.HasInput(kMask)) return mask;
    const Shape& shape = ctx.Input(kMask).shape();
    if (shape == Shape{batch, length}) {
      mask.kind = Kind::kKeys;
    } else if (shape == Shape{batch, length, length}) {
      mask.kind = Kind::kQueriesAndKeys;
    } else if (shape == Shape{batch}) {
      mask.kind = Kind::kEnds;
    } else if (shape == Shape{2 * batch}) {
      mask.kind = Kind::kEndsAndStarts;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("mask_index is ",
                                                     ctx.Input(kMask).TypeString(),
                                                     " for a batch of ", batch, " x ", length));
    }
    OC_ASSIGN_OR_RETURN(mask.values, ctx.IntsInput(kMask));
    return mask;
  }

  bool Allows(int64_t entry, int64_t query, int64_t key) const {
    if (unidirectional && key > query) return false;
    const auto at = [&](int64_t i) { return values[static_cast<size_t>(i)]; };
    switch (kind) {
      case Kind::kNone:
        return true;
      case Kind::kEnds:
        return key < at(entry);
      case Kind::kEndsAndStarts:
        return key < at(entry) && key >= at(batch + entry);
      case Kind::kKeys:
        return at(entry * length + key) != 0;
      case Kind::kQueriesAndKeys:
        return at((entry * length + query) * length + key) != 0;
    }
    return true;
  }
};

// A real number as int8 with `scale` holds it.
double RoundToInt8(double real, double scale) {
  return std::clamp(std::nearbyint(real / scale), -128.0, 127.0) * scale;
}

absl::Status Run(KernelContext& ctx, int64_t heads, bool unidirectional,
                 absl::Span<const int64_t> hidden_sizes) {
  for (int index : {static_cast<int>(kPast), static_cast<int>(kAttentionBias)}) {
    if (ctx.HasInput(index)) {
      return absl::UnimplementedError("past and attention_bias are not supported");
    }
  }
  if (!ctx.HasInput(kScoresScale) || !ctx.HasInput(kWeightsScale)) {
    return absl::InvalidArgumentError("scale_QKT_gemm and scale_QKT_softmax are needed");
  }
  const Tensor& input = ctx.Input(kInput);
  if (input.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("input must have rank 3, not ", input.TypeString()));
  }
  std::array<Tensor, 3> projected;  // Q, K, V: (B, S, hidden)
  for (int i = 0; i < 3; ++i) {
    OC_ASSIGN_OR_RETURN(const Tensor weight, Reordered(ctx, ctx.Input(kWeight + i),
                                                       MatrixOrder::kColumn, MatrixOrder::kRow));
    const int64_t hidden = weight.rank() == 2 ? weight.dim(1) : 0;
    if (hidden == 0 || hidden % heads != 0 ||
        (!hidden_sizes.empty() && hidden_sizes[static_cast<size_t>(i)] != hidden)) {
      return absl::InvalidArgumentError(absl::StrCat("the weight, input ", kWeight + i, ", is ",
                                                     weight.TypeString(), ", which is not for ",
                                                     heads, " heads"));
    }
    OC_ASSIGN_OR_RETURN(const double scale, ctx.ScalarInput<double>(kGemmScale + i));
    OC_ASSIGN_OR_RETURN(projected[static_cast<size_t>(i)],
                        RealProduct(ctx, {&input, &ctx.Input(kInputScale), nullptr},
                                    {&weight, &ctx.Input(kWeightScale + i), nullptr},
                                    &ctx.Input(kBias + i), DType::kDouble));
    double* values = projected[static_cast<size_t>(i)].mutable_data<double>();
    for (int64_t j = 0; j < projected[static_cast<size_t>(i)].num_elements(); ++j) {
      values[j] = RoundToInt8(values[j], scale);
    }
  }
  const auto& [q, k, v] = projected;
  if (q.dim(2) != k.dim(2)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Q has ", q.dim(2), " columns, but K ", k.dim(2)));
  }
  OC_ASSIGN_OR_RETURN(const double scores_scale, ctx.ScalarInput<double>(kScoresScale));
  OC_ASSIGN_OR_RETURN(const double weights_scale, ctx.ScalarInput<double>(kWeightsScale));
  const int64_t batch = input.dim(0);
  const int64_t length = input.dim(1);
  OC_ASSIGN_OR_RETURN(const Mask mask, Mask::Load(ctx, batch, length, unidirectional));
  const AttentionShape shape = {batch,           heads, heads, length, length, q.dim(2) / heads,
                                v.dim(2) / heads};
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kDouble, v.shape()));
  const auto rows = [&](const Tensor& x) {
    return AttentionRows<const double>{x.data<double>(), length * x.dim(2), x.dim(2) / heads,
                                       x.dim(2)};
  };
  const double root = std::sqrt(static_cast<double>(shape.head_size));
  const auto weigh = [&](int64_t entry, int64_t, int64_t query, double* row, int64_t keys) {
    double high = -std::numeric_limits<double>::infinity();
    for (int64_t key = 0; key < keys; ++key) {
      row[key] = RoundToInt8(row[key], scores_scale) / root;
      if (mask.Allows(entry, query, key)) high = std::max(high, row[key]);
    }
    for (int64_t key = 0; key < keys; ++key) row[key] -= high;
    vec::Exp(row, keys, row);
    double sum = 0;
    for (int64_t key = 0; key < keys; ++key) {
      if (!mask.Allows(entry, query, key)) row[key] = 0;
      sum += row[key];
    }
    for (int64_t key = 0; key < keys; ++key) {
      row[key] = sum > 0 ? RoundToInt8(row[key] / sum, weights_scale) : 0;
    }
  };
  Attend<double>(ctx.pool(), shape, rows(q), rows(k), rows(v), weigh,
                 {y.mutable_data<double>(), length * v.dim(2), shape.value_size, v.dim(2)});
  return EmitQuantized(ctx, y, {kOutputScale, kNoZeroPoint}, DType::kInt8);
}

// QOrderedAttention (com.microsoft 1): Attention whose every result is quantized to int8:
//   Q, K, V = input * weight + bias                              with scale_{Q,K,V}_gemm
//   S = Q K^T                                                    with scale_QKT_gemm
//   P = softmax(S / sqrt(head size)), 0 where the mask says so   with scale_QKT_softmax
//   output = P V                                                 with scale_values_gemm
// input and output are in row-major order, the weights in column-major order whatever their shape
// says. mask_index: lengths (B), ends and starts (2B), or 0 and 1 for keys (B, S) or for queries
// and keys (B, S, S). A query without keys gets 0, where onnxruntime divides by 0; onnxruntime's
// kernel takes no other mask than (B, S), and does not look at unidirectional.
absl::StatusOr<Kernel> QOrderedAttention(const KernelInit& node) {
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_input"), "order_input", MatrixOrder::kRow));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_weight"), "order_weight", MatrixOrder::kColumn));
  OC_RETURN_IF_ERROR(RequireOrder(node.Int("order_output"), "order_output", MatrixOrder::kRow));
  const int64_t heads = node.Int("num_heads");
  if (heads < 1) {
    return absl::InvalidArgumentError(absl::StrCat("num_heads is ", heads));
  }
  const std::vector<int64_t> hidden_sizes = node.Ints("qkv_hidden_sizes");
  if (!hidden_sizes.empty() && hidden_sizes.size() != 3) {
    return absl::InvalidArgumentError("qkv_hidden_sizes must be three numbers");
  }
  return [=, unidirectional = node.Flag("unidirectional")](KernelContext& ctx) {
    return Run(ctx, heads, unidirectional, hidden_sizes);
  };
}

}  // namespace

void RegisterContribQOrderedAttention(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QOrderedAttention", {1}, QOrderedAttention);
}

}  // namespace onnxcmp
