#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/contrib/block_quantized/packed_format.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status GatherPackedRows(KernelContext& ctx, const PackedFormat& format, int64_t columns,
                              DType dtype) {
  OC_ASSIGN_OR_RETURN(const Tensor data, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ctx.IntsInput(1));
  const int64_t rows = data.rank() == 2 ? data.dim(0) : 0;
  OC_RETURN_IF_ERROR(CheckPackedRows("data", data, format, {rows}, columns));
  if (rows == 0 && !indices.empty()) {
    return absl::InvalidArgumentError("data has no row, but there are indices");
  }
  Shape shape = ctx.Input(1).shape();
  shape.push_back(columns);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  C* out = y.template mutable_data<C>();
  ctx.pool().ParallelFor(static_cast<int64_t>(indices.size()), [&](int64_t i) {
    const int64_t index = indices[static_cast<size_t>(i)];
    const int64_t row = index < 0 || index >= rows ? 0 : index;
    DecodePackedRow(format, data.data<uint8_t>() + row * data.dim(1), columns, out + i * columns);
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// GatherPacked (com.microsoft 1): the rows of `data` that `indices` names, of K elements in the
// format packed_type (packed_format.h), as output_dtype. An index out of range names row 0.
absl::StatusOr<Kernel> GatherPacked(const KernelInit& node) {
  const int64_t columns = node.Int("K");
  const auto dtype = static_cast<DType>(node.Int("output_dtype"));
  OC_ASSIGN_OR_RETURN(const PackedFormat* format,
                      PackedFormatOf("packed_type", node.Int("packed_type")));
  if (columns < 1) {
    return absl::InvalidArgumentError(absl::StrCat("K is ", columns));
  }
  if (dtype != DType::kFloat && dtype != DType::kFloat16 && dtype != DType::kBfloat16 &&
      dtype != DType::kDouble) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_dtype is ", node.Int("output_dtype"), ", which is no float"));
  }
  return [columns, dtype, format](KernelContext& ctx) {
    return DispatchFloat(
        dtype, [&]<typename C>() { return GatherPackedRows<C>(ctx, *format, columns, dtype); });
  };
}

}  // namespace

void RegisterContribGatherPacked(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GatherPacked", {1}, GatherPacked);
}

}  // namespace onnxcmp
