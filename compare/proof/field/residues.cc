#include "compare/proof/field/residues.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

int64_t SizeOf(absl::Span<const int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

// Calls `visit` with the places in row-major order of a shape, of several tensors with strides.
template <size_t kTensors, typename Visit>
void Walk(absl::Span<const int64_t> shape, const std::array<Shape, kTensors>& strides,
          Visit visit) {
  const int64_t size = SizeOf(shape);
  std::vector<int64_t> index(shape.size());
  std::array<int64_t, kTensors> at = {};
  for (int64_t i = 0; i < size; ++i) {
    visit(i, at);
    for (size_t axis = shape.size(); axis-- > 0;) {
      for (size_t t = 0; t < kTensors; ++t) at[t] += strides[t][axis];
      if (++index[axis] < shape[axis]) break;
      for (size_t t = 0; t < kTensors; ++t) at[t] -= strides[t][axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

// Strides of a tensor that is broadcast to a shape.
Shape BroadcastStrides(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  const Shape own = RowMajorStrides(from);
  Shape strides(to.size(), 0);
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t axis = to.size() - from.size() + i;
    strides[axis] = from[i] == 1 ? 0 : own[i];
  }
  return strides;
}

// Rows of a product: out = a b, with `k` terms each. Sums are reduced once they may overflow.
void MultiplyRow(const Residue* a, const Residue* b, int64_t k, int64_t n, Residue* out) {
  constexpr int64_t kTerms = 60;  // of less than 2^122 each in 128 bits
  constexpr int64_t kColumns = 64;
  std::array<unsigned __int128, kColumns> sums;
  for (int64_t first = 0; first < n; first += kColumns) {
    const int64_t columns = std::min(kColumns, n - first);
    std::fill(sums.begin(), sums.end(), 0);
    for (int64_t i = 0; i < k; ++i) {
      const auto factor = static_cast<unsigned __int128>(a[i]);
      const Residue* const row = b + i * n + first;
      for (int64_t j = 0; j < columns; ++j) {
        sums[static_cast<size_t>(j)] += factor * static_cast<uint64_t>(row[j]);
      }
      if ((i + 1) % kTerms != 0) continue;
      for (unsigned __int128& sum : sums) sum = static_cast<uint64_t>(PrimeField::ReduceSum(sum));
    }
    for (int64_t j = 0; j < columns; ++j) {
      out[first + j] = PrimeField::ReduceSum(sums[static_cast<size_t>(j)]);
    }
  }
}

// The same where some are no numbers, which takes longer.
void MultiplySpecialRow(const Residue* a, const Residue* b, int64_t k, int64_t n, Residue* out) {
  for (int64_t j = 0; j < n; ++j) {
    out[j] = 0;
    for (int64_t i = 0; i < k; ++i) {
      out[j] = PrimeField::Add(out[j], PrimeField::Mul(a[i], b[i * n + j]));
    }
  }
}

bool AllNumbers(const Residues& x) {
  return std::all_of(x.values.begin(), x.values.end(), IsNumber);
}

// The two shapes of a product, as matrices, and that of the result.
struct ProductShape {
  Shape batch;
  int64_t m = 1, k = 1, n = 1;
  Shape result;
};

absl::StatusOr<ProductShape> ShapeOfProduct(const Shape& a, const Shape& b) {
  ProductShape product;
  product.m = a[a.size() - 2];
  product.k = a.back();
  product.n = b.back();
  if (b[b.size() - 2] != product.k) return absl::InvalidArgumentError("the sizes of a product");
  OC_ASSIGN_OR_RETURN(product.batch, BroadcastShape(absl::MakeConstSpan(a).first(a.size() - 2),
                                                    absl::MakeConstSpan(b).first(b.size() - 2)));
  product.result = product.batch;
  product.result.push_back(product.m);
  product.result.push_back(product.n);
  return product;
}

}  // namespace

Residues Residues::Filled(absl::Span<const int64_t> shape, Residue value) {
  return {Shape(shape.begin(), shape.end()),
          std::vector<Residue>(static_cast<size_t>(SizeOf(shape)), value)};
}

absl::StatusOr<Tensor> ToTensor(const Residues& residues) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kInt64, residues.shape));
  std::copy(residues.values.begin(), residues.values.end(), tensor.mutable_data<int64_t>());
  return tensor;
}

absl::StatusOr<Residues> FromTensor(const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(const Tensor whole, tensor.Contiguous());
  const absl::Span<const int64_t> values = whole.AsSpan<int64_t>();
  return Residues{whole.shape(), std::vector<Residue>(values.begin(), values.end())};
}

absl::StatusOr<Shape> BroadcastShape(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (const absl::Span<const int64_t> part : {a, b}) {
    for (size_t i = 0; i < part.size(); ++i) {
      int64_t& size = shape[shape.size() - part.size() + i];
      if (size == 1) size = part[i];
      if (part[i] != 1 && part[i] != size) return absl::InvalidArgumentError("shapes do not fit");
    }
  }
  return shape;
}

absl::StatusOr<Residues> BroadcastTo(const Residues& x, absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(const Shape whole, BroadcastShape(x.shape, shape));
  if (whole != Shape(shape.begin(), shape.end())) {
    return absl::InvalidArgumentError("shapes do not fit");
  }
  Residues out = Residues::Filled(shape, 0);
  Walk<1>(shape, {BroadcastStrides(x.shape, shape)}, [&](int64_t i, const auto& at) {
    out.values[static_cast<size_t>(i)] = x.values[static_cast<size_t>(at[0])];
  });
  return out;
}

Residues Mapped(Residues x, absl::FunctionRef<Residue(Residue)> function) {
  for (Residue& value : x.values) value = function(value);
  return x;
}

absl::StatusOr<Residues> Combine(const Residues& a, const Residues& b,
                                 absl::FunctionRef<Residue(Residue, Residue)> function) {
  OC_ASSIGN_OR_RETURN(const Shape shape, BroadcastShape(a.shape, b.shape));
  Residues out = Residues::Filled(shape, 0);
  if (a.shape == b.shape) {
    for (size_t i = 0; i < out.values.size(); ++i) {
      out.values[i] = function(a.values[i], b.values[i]);
    }
    return out;
  }
  Walk<2>(shape, {BroadcastStrides(a.shape, shape), BroadcastStrides(b.shape, shape)},
          [&](int64_t i, const auto& at) {
            out.values[static_cast<size_t>(i)] = function(a.values[static_cast<size_t>(at[0])],
                                                          b.values[static_cast<size_t>(at[1])]);
          });
  return out;
}

absl::StatusOr<Residues> AddAll(const Residues& a, const Residues& b) {
  return Combine(a, b, PrimeField::Add);
}
absl::StatusOr<Residues> SubAll(const Residues& a, const Residues& b) {
  return Combine(a, b, PrimeField::Sub);
}
absl::StatusOr<Residues> MulAll(const Residues& a, const Residues& b) {
  return Combine(a, b, PrimeField::Mul);
}

absl::StatusOr<Residues> DivAll(const Residues& a, const Residues& b) {
  Residues inverses = b;
  PrimeField::Invert(absl::MakeSpan(inverses.values));
  return Combine(a, inverses, [](Residue x, Residue y) { return PrimeField::Mul(x, y); });
}

absl::StatusOr<std::vector<int>> WholeAxes(absl::Span<const int64_t> axes, int rank) {
  std::vector<int> whole;
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return absl::InvalidArgumentError("an axis out of range");
    whole.push_back(static_cast<int>(axis < 0 ? axis + rank : axis));
  }
  if (axes.empty()) {
    whole.resize(static_cast<size_t>(rank));
    std::iota(whole.begin(), whole.end(), 0);
  }
  std::sort(whole.begin(), whole.end());
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  return whole;
}

int64_t CountAlong(absl::Span<const int64_t> shape, absl::Span<const int> axes) {
  int64_t count = 1;
  for (const int axis : axes) count *= shape[static_cast<size_t>(axis)];
  return count;
}

Residues ReduceAlong(const Residues& x, absl::Span<const int> axes,
                     absl::FunctionRef<Residue(std::vector<Residue>*)> function) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  std::vector<std::vector<Residue>> lanes(static_cast<size_t>(SizeOf(kept)));
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)}, [&](int64_t i, const auto& at) {
    lanes[static_cast<size_t>(at[0])].push_back(x.values[static_cast<size_t>(i)]);
  });
  Residues out = Residues::Filled(kept, 0);
  for (size_t i = 0; i < lanes.size(); ++i) out.values[i] = function(&lanes[i]);
  return out;
}

Residues SumAlong(const Residues& x, absl::Span<const int> axes) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Residues out = Residues::Filled(kept, 0);
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)}, [&](int64_t i, const auto& at) {
    Residue& sum = out.values[static_cast<size_t>(at[0])];
    sum = PrimeField::Add(sum, x.values[static_cast<size_t>(i)]);
  });
  return out;
}

Residues Transposed(const Residues& x, absl::Span<const int> order) {
  const Shape own = RowMajorStrides(x.shape);
  Shape shape;
  Shape strides;
  for (const int axis : order) {
    shape.push_back(x.shape[static_cast<size_t>(axis)]);
    strides.push_back(own[static_cast<size_t>(axis)]);
  }
  Residues out = Residues::Filled(shape, 0);
  Walk<1>(shape, {strides}, [&](int64_t i, const auto& at) {
    out.values[static_cast<size_t>(i)] = x.values[static_cast<size_t>(at[0])];
  });
  return out;
}

Residues MatrixTransposed(const Residues& x) {
  std::vector<int> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 1) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return Transposed(x, order);
}

absl::StatusOr<Residues> Product(const Residues& a, const Residues& b, const ThreadPool& pool) {
  if (a.rank() == 0 || b.rank() == 0) return absl::InvalidArgumentError("a product of scalars");
  Shape left = a.shape;
  Shape right = b.shape;
  if (a.rank() == 1) left.insert(left.begin(), 1);
  if (b.rank() == 1) right.push_back(1);
  OC_ASSIGN_OR_RETURN(const ProductShape product, ShapeOfProduct(left, right));
  Residues out = Residues::Filled(product.result, 0);
  const bool numbers = AllNumbers(a) && AllNumbers(b);
  std::vector<std::array<int64_t, 2>> starts;
  const auto strides_of = [&](const Shape& shape) {
    const absl::Span<const int64_t> batch = absl::MakeConstSpan(shape).first(shape.size() - 2);
    Shape strides = BroadcastStrides(batch, product.batch);
    for (int64_t& stride : strides) stride *= shape[shape.size() - 2] * shape.back();
    return strides;
  };
  Walk<2>(product.batch, {strides_of(left), strides_of(right)},
          [&](int64_t, const auto& at) { starts.push_back(at); });
  const int64_t rows = static_cast<int64_t>(starts.size()) * product.m;
  constexpr int64_t kGrain = 4;
  pool.ParallelRanges(rows, kGrain, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const std::array<int64_t, 2>& at = starts[static_cast<size_t>(row / product.m)];
      const Residue* const x = a.values.data() + at[0] + row % product.m * product.k;
      const Residue* const y = b.values.data() + at[1];
      Residue* const to = out.values.data() + row * product.n;
      (numbers ? MultiplyRow : MultiplySpecialRow)(x, y, product.k, product.n, to);
    }
  });
  if (a.rank() == 1) out.shape.erase(out.shape.end() - 2);
  if (b.rank() == 1) out.shape.pop_back();
  return out;
}

}  // namespace onnxcmp
