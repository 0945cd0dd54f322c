#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/movement/movement.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/shapes/axes.h"
#include "ops/contrib/block_quantized/block_quantization.h"

namespace onnxcmp {
namespace {

struct Options {
  int64_t gather_axis = 0;
  int64_t quantize_axis = 1;
  int64_t block_size = 0;
  int64_t bits = 4;
};

// The table that is gathered from, with axes that are not negative.
struct Table {
  Tensor codes;
  Shape dims;  // of the codes; bytes of uint8 may hold several
  int gather = 0;
  int quantize = 0;
  int64_t block_size = 0;  // 0: the axis is one block

  size_t g() const { return static_cast<size_t>(gather); }
  size_t q() const { return static_cast<size_t>(quantize); }
  int64_t outer() const { return *NumElements(absl::MakeConstSpan(dims).first(g())); }
  int64_t inner() const { return *NumElements(absl::MakeConstSpan(dims).subspan(g() + 1)); }
};

absl::StatusOr<Table> TableOf(const KernelContext& ctx, const Options& options) {
  Table table;
  OC_ASSIGN_OR_RETURN(table.codes, ctx.ContiguousInput(0));
  const DType dtype = table.codes.dtype();
  table.dims = table.codes.shape();
  OC_ASSIGN_OR_RETURN(table.gather, NormalizeAxis(options.gather_axis, table.codes.rank()));
  OC_ASSIGN_OR_RETURN(table.quantize, NormalizeAxis(options.quantize_axis, table.codes.rank()));
  table.block_size = options.block_size;
  const bool integers = IsInteger(dtype);
  if (integers || options.block_size != 0) OC_RETURN_IF_ERROR(CheckBlockSize(options.block_size));
  if (integers && dtype != DType::kUint8 && options.bits != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("bits is ", options.bits, ", but data is ", DTypeName(dtype)));
  }
  if (dtype == DType::kUint8) {
    OC_ASSIGN_OR_RETURN(const DType type, CodeType(options.bits));
    if (table.gather != 0 || table.quantize != table.codes.rank() - 1 || table.codes.rank() < 2) {
      return absl::InvalidArgumentError(absl::StrCat(
          "data ", table.codes.TypeString(), " must be gathered along its first axis ",
          "and quantized along its last, not ", table.gather, " and ", table.quantize));
    }
    const std::optional<int64_t> last = NumElements(Shape{table.dims.back(), 8 / options.bits});
    if (!last.has_value()) return absl::InvalidArgumentError("data has too many columns");
    table.dims.back() = *last;
    if (!NumElements(table.dims).has_value()) {
      return absl::InvalidArgumentError("data has too many elements");
    }
    OC_ASSIGN_OR_RETURN(table.codes, ViewBytesAs(ctx, table.codes, type, table.dims));
  }
  return table;
}

// `x`, a tensor of scales or of packed rows of zero points, with `indices` along the gathered axis.
absl::StatusOr<Tensor> Gather(const KernelContext& ctx, const Tensor& x, int axis,
                              absl::Span<const int64_t> indices) {
  const absl::Span<const int64_t> dims = x.shape();
  const auto a = static_cast<size_t>(axis);
  const int64_t outer = *NumElements(dims.first(a));
  const int64_t inner = *NumElements(dims.subspan(a + 1));
  std::vector<int64_t> offsets(indices.begin(), indices.end());
  for (int64_t& offset : offsets) offset *= inner;
  Shape shape(dims.begin(), dims.end());
  shape[a] = static_cast<int64_t>(indices.size());
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(x.dtype(), shape));
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(x));
  GatherBlocks(contiguous, outer, dims[a] * inner, offsets, inner, ctx.pool(), &result);
  return result;
}

// Scales are as many as data along the other axes; those of floats may be one for all.
absl::StatusOr<Tensor> CheckedScales(const Table& table, const Tensor& scales) {
  Shape want = table.dims;
  const int64_t length = want[table.q()];
  want[table.q()] = table.block_size == 0
                        ? 1
                        : length / table.block_size + (length % table.block_size != 0 ? 1 : 0);
  const bool may_repeat = !IsInteger(table.codes.dtype());
  Shape strides = scales.strides();
  bool fits = scales.rank() == static_cast<int>(want.size());
  for (size_t d = 0; fits && d < want.size(); ++d) {
    if (scales.shape()[d] == want[d]) continue;
    fits = may_repeat && d != table.q() && scales.shape()[d] == 1;
    strides[d] = 0;
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("scales are ", scales.TypeString(),
                                                   ", but must be [", ShapeToString(want), "]"));
  }
  if (scales.shape() == want) return scales;
  return scales.Strided(want, strides, scales.offset());
}

// Zero points of the gathered elements, in the shape of their scales.
template <typename C>
absl::StatusOr<Tensor> ZerosOf(const KernelContext& ctx, const Table& table, const Options& options,
                               const Tensor& scales, absl::Span<const int64_t> rows,
                               const Shape& gathered) {
  const bool bytes = ctx.Input(0).dtype() == DType::kUint8;
  if (!ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(Tensor zeros, ctx.Allocate(kDTypeOf<C>, gathered));
    std::fill_n(zeros.template mutable_data<C>(), zeros.num_elements(),
                static_cast<C>(bytes ? int64_t{1} << (options.bits - 1) : 0));
    return zeros;
  }
  const Tensor& input = ctx.Input(3);
  Shape want = scales.shape();
  const int64_t per_byte = bytes ? 8 / options.bits : 1;
  want[table.q()] = (want[table.q()] + per_byte - 1) / per_byte;
  if (input.shape() != want) {
    return absl::InvalidArgumentError(absl::StrCat("zero points are ", input.TypeString(),
                                                   ", but must be [", ShapeToString(want), "]"));
  }
  if (!bytes) {
    OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, input));
    return Gather(ctx, loaded, table.gather, rows);
  }
  OC_ASSIGN_OR_RETURN(const Tensor packed, Gather(ctx, input, table.gather, rows));
  OC_ASSIGN_OR_RETURN(const DType type, CodeType(options.bits));
  const int64_t count = gathered.back();
  const int64_t total = *NumElements(gathered);
  OC_ASSIGN_OR_RETURN(const Tensor zeros,
                      LoadCodes<C>(ctx, packed, type, count == 0 ? 0 : total / count, count));
  return zeros.Reshaped(gathered);
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Table table, TableOf(ctx, options));
  OC_ASSIGN_OR_RETURN(const Tensor scales, CheckedScales(table, ctx.Input(2)));
  if (!IsInteger(table.codes.dtype()) && ctx.HasInput(3)) {
    return absl::InvalidArgumentError("zero points of floats have no meaning");
  }
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
  const int64_t size = table.dims[table.g()];
  std::vector<bool> missing(indices.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    missing[i] = indices[i] < -size || indices[i] >= size;
    indices[i] = missing[i] ? 0 : indices[i] < 0 ? indices[i] + size : indices[i];
  }
  // Where the indices stand is one axis until the end.
  const auto count = static_cast<int64_t>(indices.size());
  Shape gathered = table.dims;
  gathered[table.g()] = count;
  Shape shape(table.dims.begin(), table.dims.begin() + table.gather);
  shape.insert(shape.end(), ctx.Input(1).shape().begin(), ctx.Input(1).shape().end());
  shape.insert(shape.end(), table.dims.begin() + table.gather + 1, table.dims.end());
  const DType dtype = ctx.Input(2).dtype();
  const int64_t outer = table.outer();
  const int64_t inner = table.inner();
  OC_RETURN_IF_ERROR(ctx.CheckSize(kDTypeOf<C>, shape));
  if (size == 0 || *NumElements(shape) == 0) {
    OC_ASSIGN_OR_RETURN(Tensor zeros, ctx.Allocate(dtype, shape));
    FillWithZeros(&zeros);
    return ctx.SetOutput(0, std::move(zeros));
  }

  OC_ASSIGN_OR_RETURN(Tensor codes, ctx.Allocate(kDTypeOf<C>, gathered));
  C* to = codes.template mutable_data<C>();
  ctx.pool().ParallelRanges(outer * count, 1 + 16384 / (inner + 1), [&](int64_t from, int64_t end) {
    for (int64_t i = from; i < end; ++i) {
      const int64_t row = i / count * size + indices[static_cast<size_t>(i % count)];
      LoadElements(table.codes.dtype(), table.codes.raw_data(), row * inner, inner, to + i * inner);
    }
  });
  // Blocks along the gathered axis are not neighbours any more: each element has its own.
  const bool same_axis = table.gather == table.quantize;
  const int64_t length = std::max<int64_t>(table.dims[table.q()], 1);
  const int64_t block_size = table.block_size == 0 ? length : table.block_size;
  std::vector<int64_t> rows = indices;
  if (same_axis) {
    for (int64_t& row : rows) row /= block_size;
  }
  OC_ASSIGN_OR_RETURN(const Tensor own_scales, Gather(ctx, scales, table.gather, rows));
  OC_ASSIGN_OR_RETURN(const Tensor zeros,
                      ZerosOf<C>(ctx, table, options, scales, rows, own_scales.shape()));
  OC_ASSIGN_OR_RETURN(Tensor y,
                      DequantizeTensor(ctx, codes, own_scales, &zeros,
                                       {table.quantize, same_axis ? 1 : block_size}, dtype));
  const int64_t bytes = inner * BitWidth(dtype) / 8;
  for (int64_t i = 0; i < outer * count; ++i) {
    if (!missing[static_cast<size_t>(i % count)]) continue;
    std::memset(y.mutable_raw_data() + i * bytes, 0, static_cast<size_t>(bytes));
  }
  return ctx.SetOutput(0, y.Reshaped(shape));
}

// GatherBlockQuantized (com.microsoft 1): Gather of data along gather_axis, then
//   output = (code - zero point) * scale of its block along quantize_axis.
// uint8 data hold codes of `bits` bits along the last axis, the first in the low bits, and their
// zero points likewise, each row in whole bytes; these are 2^(bits - 1) by default, those of int4
// and uint4 0. float8 and float4 have none, their scales repeat along axes of 1, and block_size 0
// makes an axis one block. An index out of range gives zeros.
Kernel GatherBlockQuantized(const KernelInit& node) {
  const Options options = {node.Int("gather_axis"), node.Int("quantize_axis"),
                           node.Int("block_size"), node.Int("bits")};
  return FloatKernel(2, [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribGatherBlockQuantized(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatherBlockQuantized", {1}, GatherBlockQuantized);
}

}  // namespace onnxcmp
