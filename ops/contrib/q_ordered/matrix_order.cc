#include "ops/contrib/q_ordered/matrix_order.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

struct TileShape {
  int64_t rows = 1;
  int64_t columns = 1;
};

TileShape TileOf(MatrixOrder order) {
  switch (order) {
    case MatrixOrder::kColumn:
    case MatrixOrder::kRow:
      return {};
    case MatrixOrder::kColumn32:
      return {1, 32};
    case MatrixOrder::kColumn4x4r2x8c:
      return {8, 32};
    case MatrixOrder::kColumn32x2rx4r4:
      return {32, 32};
  }
  return {};
}

// Where element (r, c) of a matrix lies.
int64_t IndexOf(MatrixOrder order, int64_t rows, int64_t columns, int64_t r, int64_t c) {
  const TileShape tile = TileOf(order);
  // Tiles follow each other down the columns.
  const int64_t of_tile =
      (c / tile.columns * (rows / tile.rows) + r / tile.rows) * tile.rows * tile.columns;
  const int64_t i = r % tile.rows;
  const int64_t j = c % tile.columns;
  switch (order) {
    case MatrixOrder::kColumn:
      return c * rows + r;
    case MatrixOrder::kRow:
      return r * columns + c;
    case MatrixOrder::kColumn32:
      return of_tile + j;
    case MatrixOrder::kColumn4x4r2x8c:
      return of_tile + i % 2 * 128 + j / 4 * 16 + i / 2 * 4 + j % 4;
    case MatrixOrder::kColumn32x2rx4r4:
      return of_tile + ((i % 8 / 2 * 4 + i / 8) * 2 + i % 2) * 32 + j;
  }
  return 0;
}

}  // namespace

absl::StatusOr<MatrixOrder> MatrixOrderOf(int64_t attribute, absl::string_view name) {
  if (attribute < 0 || attribute > 4) {
    return absl::InvalidArgumentError(absl::StrCat(name, " ", attribute, " is no order (0 to 4)"));
  }
  return static_cast<MatrixOrder>(attribute);
}

absl::Status RequireOrder(int64_t attribute, absl::string_view name, MatrixOrder order) {
  OC_ASSIGN_OR_RETURN(const MatrixOrder given, MatrixOrderOf(attribute, name));
  if (given == order) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(name, " ", attribute, " is not supported, only ", static_cast<int>(order)));
}

absl::StatusOr<Tensor> Reordered(const KernelContext& ctx, const Tensor& x, MatrixOrder from,
                                 MatrixOrder to) {
  if (from == to) return x;
  const int rank = x.rank();
  if (rank == 0) return absl::InvalidArgumentError("a scalar is no matrix");
  const int64_t columns = x.dim(rank - 1);
  const int64_t rows = rank == 1 ? 1 : x.dim(rank - 2);
  for (const MatrixOrder order : {from, to}) {
    const TileShape tile = TileOf(order);
    if (rows % tile.rows != 0 || columns % tile.columns != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("order ", static_cast<int>(order), " has tiles of ", tile.rows, " x ",
                       tile.columns, ", which do not fill ", x.TypeString()));
    }
  }
  OC_ASSIGN_OR_RETURN(const Tensor in, ctx.Contiguous(x));
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(x.dtype(), x.shape()));
  const std::byte* source = in.raw_data();
  std::byte* target = out.mutable_raw_data();
  const int64_t lines = columns == 0 ? 0 : x.num_elements() / columns;
  const int64_t grain = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, columns));
  ctx.pool().ParallelRanges(lines, grain, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      const int64_t r = line % rows;
      const int64_t matrix = (line - r) * columns;
      for (int64_t c = 0; c < columns; ++c) {
        target[matrix + IndexOf(to, rows, columns, r, c)] =
            source[matrix + IndexOf(from, rows, columns, r, c)];
      }
    }
  });
  return out;
}

}  // namespace onnxcmp
