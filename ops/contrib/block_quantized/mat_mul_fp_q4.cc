#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/matmul.h"

namespace onnxcmp {
namespace {

constexpr int64_t kBlock = 32;

// Columns of B, K elements each, one after the other.
template <typename C>
absl::StatusOr<Tensor> Unpack(const KernelContext& ctx, int64_t k, int64_t n, bool zero_points) {
  const int64_t blocks = k / kBlock + (k % kBlock != 0 ? 1 : 0);
  const int64_t header = sizeof(float) + (zero_points ? 1 : 0);
  const int64_t block_bytes = header + kBlock / 2;
  OC_ASSIGN_OR_RETURN(const Tensor blob, ctx.ContiguousInput(1));
  const std::optional<int64_t> bytes = NumElements(Shape{n, blocks, block_bytes});
  if (blob.num_elements() != bytes) {
    return absl::InvalidArgumentError(absl::StrCat("B is ", blob.TypeString(), ", but ", k, " x ",
                                                   n, " weights take ", bytes.value_or(-1)));
  }
  OC_ASSIGN_OR_RETURN(Tensor weights, ctx.Allocate(kDTypeOf<C>, {n, k}));
  C* to = weights.template mutable_data<C>();
  const uint8_t* from = blob.data<uint8_t>();
  for (int64_t column = 0; column < n; ++column) {
    for (int64_t begin = 0; begin < k; begin += kBlock, from += block_bytes) {
      float scale;
      std::memcpy(&scale, from, sizeof(scale));
      const int zero = zero_points ? from[sizeof(scale)] : 8;
      const uint8_t* codes = from + header;
      for (int64_t i = 0; i < std::min(kBlock, k - begin); ++i) {
        const int code = i < kBlock / 2 ? codes[i] & 15 : codes[i - kBlock / 2] >> 4;
        *to++ = static_cast<C>(code - zero) * static_cast<C>(scale);
      }
    }
  }
  return weights;
}

// MatMulFpQ4 (com.microsoft 1): Y = matmul(A, B). B_shape is (K, N); each column of B is stored in
// blocks of 32 elements: the scale (float), with blk_quant_type 1 a zero point (a byte; else it is
// 8), and 16 bytes of which byte i holds elements i (low bits) and i + 16. Blocks of 64, type 2,
// are documented, but no implementation of them can be run.
absl::StatusOr<Kernel> MatMulFpQ4(const KernelInit& node) {
  const int64_t type = node.Int("blk_quant_type");
  if (type != 0 && type != 1) {
    return absl::UnimplementedError(
        absl::StrCat("blk_quant_type is ", type, "; blocks of 32, 0 and 1, are supported"));
  }
  return [zero_points = type == 1](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(2));
    if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1) {
      return absl::InvalidArgumentError("B_shape must be two positive numbers, K and N");
    }
    const int64_t k = shape[0];
    const int64_t n = shape[1];
    return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor weights, Unpack<C>(ctx, k, n, zero_points));
      OC_ASSIGN_OR_RETURN(
          Tensor y,
          MatMulTensors(ctx, ctx.Input(0), weights.Strided({k, n}, {1, k}, weights.offset())));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribMatMulFpQ4(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MatMulFpQ4", {1}, MatMulFpQ4);
}

}  // namespace onnxcmp
