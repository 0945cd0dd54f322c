#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/dense.h"

namespace onnxcmp {
namespace {

// A value of A', in the order of rows, then columns.
struct Entry {
  int64_t row;
  int64_t column;
  int64_t value;  // its number
};

absl::StatusOr<std::vector<Entry>> EntriesOf(const SparseTensor& a, bool transpose) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> positions, SparsePositions(a));
  std::vector<Entry> entries;
  entries.reserve(positions.size());
  for (const int64_t position : positions) {
    Entry entry = {position / a.dims[1], position % a.dims[1],
                   static_cast<int64_t>(entries.size())};
    if (transpose) std::swap(entry.row, entry.column);
    entries.push_back(entry);
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
    return x.row != y.row         ? x.row < y.row
           : x.column != y.column ? x.column < y.column
                                  : x.value < y.value;
  });
  return entries;
}

struct Options {
  float alpha = 1;
  bool transpose_a = false;
  bool transpose_b = false;
};

// T is unsigned for integers, whose products wrap around.
template <typename T>
absl::Status Multiply(KernelContext& ctx, const Options& options, const SparseTensor& a) {
  const Tensor& b = ctx.Input(1);
  const int64_t m = a.dims[options.transpose_a ? 1 : 0];
  const int64_t k = a.dims[options.transpose_a ? 0 : 1];
  if (b.rank() != 2 || b.dim(options.transpose_b ? 1 : 0) != k) {
    return absl::InvalidArgumentError(absl::StrCat("A has ", k, " columns, but B, ", b.TypeString(),
                                                   options.transpose_b ? " transposed," : "",
                                                   " is no matrix of as many rows"));
  }
  const int64_t n = b.dim(options.transpose_b ? 0 : 1);
  const int64_t row_stride = b.strides()[options.transpose_b ? 1 : 0];
  const int64_t column_stride = b.strides()[options.transpose_b ? 0 : 1];
  OC_ASSIGN_OR_RETURN(const std::vector<Entry> entries, EntriesOf(a, options.transpose_a));
  OC_ASSIGN_OR_RETURN(const Tensor values, ctx.Contiguous(a.values));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(b.dtype(), {m, n}));
  T* to = reinterpret_cast<T*>(y.mutable_raw_data());
  std::fill_n(to, y.num_elements(), T{0});
  const T* factors = reinterpret_cast<const T*>(values.raw_data());
  const T* rows = reinterpret_cast<const T*>(b.raw_data());
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    // The last of several values for one element counts.
    if (i + 1 < entries.size() && entries[i + 1].row == entry.row &&
        entries[i + 1].column == entry.column) {
      continue;
    }
    const T factor = factors[entry.value];
    const T* from = rows + entry.column * row_stride;
    T* row = to + entry.row * n;
    for (int64_t j = 0; j < n; ++j) row[j] += factor * from[j * column_stride];
  }
  if constexpr (std::is_floating_point_v<T>) {
    const T alpha = static_cast<T>(options.alpha);
    if (alpha != T{1}) std::for_each(to, to + y.num_elements(), [alpha](T& x) { x *= alpha; });
  }
  return ctx.SetOutput(0, std::move(y));
}

// SparseToDenseMatMul (com.microsoft 1): Y = alpha * A' * B' for a sparse matrix A; transA and
// transB transpose. Elements of A that are not there are not multiplied, not even with NaN.
// Integers wrap around and take no alpha but 1.
Kernel SparseToDenseMatMul(const KernelInit& node) {
  const Options options = {node.Float("alpha"), node.Flag("transA"), node.Flag("transB")};
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const SparseTensor* a, ctx.SparseInput(0));
    const DType dtype = ctx.Input(1).dtype();
    if (a->dims.size() != 2 || a->values.dtype() != dtype) {
      return absl::InvalidArgumentError(absl::StrCat("A has values ", a->values.TypeString(),
                                                     " and the shape [", ShapeToString(a->dims),
                                                     "], not a matrix of ", DTypeName(dtype)));
    }
    if (IsInteger(dtype) && options.alpha != 1.0f) {
      return absl::UnimplementedError(
          absl::StrCat("alpha is ", options.alpha, ", but the matrices are of integers"));
    }
    switch (dtype) {
      case DType::kFloat:
        return Multiply<float>(ctx, options, *a);
      case DType::kDouble:
        return Multiply<double>(ctx, options, *a);
      case DType::kInt32:
      case DType::kUint32:
        return Multiply<uint32_t>(ctx, options, *a);
      case DType::kInt64:
      case DType::kUint64:
        return Multiply<uint64_t>(ctx, options, *a);
      default:
        return absl::UnimplementedError(
            absl::StrCat("matrices of ", DTypeName(dtype), " are not supported"));
    }
  };
}

}  // namespace

void RegisterContribSparseToDenseMatMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "SparseToDenseMatMul", {1}, SparseToDenseMatMul);
}

}  // namespace onnxcmp
