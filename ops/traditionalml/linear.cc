#include "ops/traditionalml/linear.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {

Tensor FloatTensor(const std::vector<float>& values) {
  return Tensor::Of<float>({std::ssize(values)}, values);
}

template <typename S>
absl::StatusOr<Tensor> RowProducts(const KernelContext& ctx, const Tensor& x, const Tensor& vectors,
                                   int64_t count, absl::string_view name) {
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  const std::optional<int64_t> want = NumElements({count, shape.columns});
  if (vectors.num_elements() != want) {
    return absl::InvalidArgumentError(absl::StrCat(name, " has ", vectors.num_elements(),
                                                   " elements, not ", count, " times ",
                                                   shape.columns, " (the features of a row)"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor rows, LoadTensor<S>(ctx, x));
  OC_ASSIGN_OR_RETURN(const Tensor columns, LoadTensor<S>(ctx, vectors));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(kDTypeOf<S>, {shape.rows, count}));
  Gemm<S>(ctx.pool(), {.m = shape.rows, .n = count, .k = shape.columns},
          {.data = rows.data<S>(), .row_stride = shape.columns},
          {.data = columns.data<S>(), .row_stride = 1, .column_stride = shape.columns},
          {.data = out.mutable_data<S>(), .row_stride = count});
  return out;
}

template absl::StatusOr<Tensor> RowProducts<float>(const KernelContext&, const Tensor&,
                                                   const Tensor&, int64_t, absl::string_view);
template absl::StatusOr<Tensor> RowProducts<double>(const KernelContext&, const Tensor&,
                                                    const Tensor&, int64_t, absl::string_view);

}  // namespace onnxcmp
