#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/matmul.h"
#include "ops/contrib/block_quantized/block_quantization.h"

namespace onnxcmp {
namespace {

// The values of the codes of four bits, to be multiplied by the largest magnitude of their block.
constexpr double kFp4[16] = {0,   1.0 / 192,  2.0 / 3,  1,  1.0 / 3,  1.0 / 2,  1.0 / 6,  1.0 / 4,
                             -0., -1.0 / 192, -2.0 / 3, -1, -1.0 / 3, -1.0 / 2, -1.0 / 6, -1.0 / 4};
// Quantiles of the normal distribution (https://arxiv.org/abs/2305.14314).
constexpr double kNf4[16] = {-1.0,
                             -0.6961928009986877,
                             -0.5250730514526367,
                             -0.39491748809814453,
                             -0.28444138169288635,
                             -0.18477343022823334,
                             -0.09105003625154495,
                             0.0,
                             0.07958029955625534,
                             0.16093020141124725,
                             0.24611230194568634,
                             0.33791524171829224,
                             0.44070982933044434,
                             0.5626170039176941,
                             0.7229568362236023,
                             1.0};

struct Options {
  int64_t n = 0;
  int64_t k = 0;
  int64_t elements = 0;
  int64_t block_size = 0;
  bool transposed = true;
  const double* table = nullptr;
};

// The weights, N x K.
template <typename C>
absl::StatusOr<Tensor> Dequantize(const KernelContext& ctx, const Options& options) {
  const auto check = [&](int index, int64_t size) {
    if (ctx.Input(index).num_elements() == size) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " is ", ctx.Input(index).TypeString(), ", but ", options.n,
                     " x ", options.k, " weights need ", size));
  };
  OC_RETURN_IF_ERROR(check(1, options.elements / 2 + options.elements % 2));
  OC_RETURN_IF_ERROR(check(2, (options.elements - 1) / options.block_size + 1));
  OC_ASSIGN_OR_RETURN(const Tensor codes, ctx.ContiguousInput(1));
  OC_ASSIGN_OR_RETURN(const Tensor largest, LoadTensor<C>(ctx, ctx.Input(2)));
  OC_ASSIGN_OR_RETURN(Tensor weights, ctx.Allocate(kDTypeOf<C>, {options.n, options.k}));
  C table[16];
  for (int i = 0; i < 16; ++i) table[i] = static_cast<C>(options.table[i]);
  C* to = weights.template mutable_data<C>();
  ctx.pool().ParallelRanges(
      largest.num_elements(), 1 + 16384 / options.block_size, [&](int64_t first, int64_t last) {
        for (int64_t block = first; block < last; ++block) {
          const int64_t begin = block * options.block_size;
          // The last block may be shorter; begin + block_size could overflow.
          const int64_t count = std::min(options.block_size, options.elements - begin);
          const C factor = largest.data<C>()[block];
          for (int64_t i = begin; i < begin + count; ++i) {
            const uint8_t byte = codes.data<uint8_t>()[i / 2];
            to[i] = table[i % 2 == 0 ? byte >> 4 : byte & 15] * factor;
          }
        }
      });
  return weights;
}

// MatMulBnb4 (com.microsoft 1): Y = A * W^T, or A * W with transB = 0. W (N x K) is stored in
// blocks of four-bit codes over its elements in row-major order, the first of a byte in the high
// bits; W = table[code] * absmax of the block, the table being FP4's or NF4's. Narrow floats are
// computed in float and rounded once. training_mode has no effect on the result.
absl::StatusOr<Kernel> MatMulBnb4(const KernelInit& node) {
  Options options = {.n = node.Int("N"),
                     .k = node.Int("K"),
                     .block_size = node.Int("block_size"),
                     .transposed = node.Flag("transB")};
  node.Ignore("training_mode");
  const int64_t type = node.Int("quant_type");
  if (type != 0 && type != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("quant_type is ", type, ", not 0 (FP4) or 1 (NF4)"));
  }
  options.table = type == 0 ? kFp4 : kNf4;
  OC_RETURN_IF_ERROR(CheckBlockSize(options.block_size));
  const std::optional<int64_t> elements = NumElements(Shape{options.n, options.k});
  if (!elements.has_value() || *elements == 0) {
    return absl::InvalidArgumentError(absl::StrCat("N is ", options.n, " and K is ", options.k));
  }
  options.elements = *elements;
  return [options](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor a, LoadStridedTensor<C>(ctx, ctx.Input(0)));
      OC_ASSIGN_OR_RETURN(Tensor weights, Dequantize<C>(ctx, options));
      if (options.transposed) {
        weights = weights.Strided({options.k, options.n}, {1, options.k}, weights.offset());
      }
      OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, a, weights));
      OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribMatMulBnb4(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulBnb4", {1}, MatMulBnb4);
}

}  // namespace onnxcmp
