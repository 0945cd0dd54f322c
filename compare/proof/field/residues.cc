#include "compare/proof/field/residues.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/streams/xxh128.h"
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

constexpr int64_t kColumns = 4;  // that are summed at a time

// Some columns of a product: out = a b, with `k` terms each; `panel` has `kColumns` columns of b.
// Sums are reduced once they may overflow.
void MultiplyPanel(const Residue* a, const uint64_t* panel, int64_t k,
                   std::array<Residue, kColumns>* out) {
  constexpr int64_t kTerms = 60;  // of less than 2^122 each in 128 bits
  unsigned __int128 s0 = 0;
  unsigned __int128 s1 = 0;
  unsigned __int128 s2 = 0;
  unsigned __int128 s3 = 0;
  const auto reduced = [](unsigned __int128 sum) {
    return static_cast<uint64_t>(PrimeField::ReduceSum(sum));
  };
  for (int64_t first = 0; first < k; first += kTerms) {
    const int64_t last = std::min(k, first + kTerms);
    for (int64_t i = first; i < last; ++i) {
      const auto factor = static_cast<unsigned __int128>(static_cast<uint64_t>(a[i]));
      const uint64_t* const row = panel + i * kColumns;
      s0 += factor * row[0];
      s1 += factor * row[1];
      s2 += factor * row[2];
      s3 += factor * row[3];
    }
    s0 = reduced(s0);
    s1 = reduced(s1);
    s2 = reduced(s2);
    s3 = reduced(s3);
  }
  *out = {static_cast<Residue>(s0), static_cast<Residue>(s1), static_cast<Residue>(s2),
          static_cast<Residue>(s3)};
}

// The columns from `first` on of a product of m x k and k x n numbers.
void MultiplyColumns(const Residue* a, const Residue* b, int64_t m, int64_t k, int64_t n,
                     int64_t first, Residue* out) {
  const int64_t columns = std::min(kColumns, n - first);
  std::vector<uint64_t> panel(static_cast<size_t>(k * kColumns), 0);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      panel[static_cast<size_t>(i * kColumns + j)] = static_cast<uint64_t>(b[i * n + first + j]);
    }
  }
  std::array<Residue, kColumns> sums = {};
  for (int64_t row = 0; row < m; ++row) {
    MultiplyPanel(a + row * k, panel.data(), k, &sums);
    std::copy_n(sums.begin(), columns, out + row * n + first);
  }
}

// A row of a product where some are no numbers, which takes longer.
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

Residues FirstAlong(const Residues& x, absl::Span<const int> axes) {
  Shape kept = x.shape;
  for (const int axis : axes) kept[static_cast<size_t>(axis)] = 1;
  Residues out = Residues::Filled(kept, kNoNumber);
  Walk<1>(x.shape, {BroadcastStrides(kept, x.shape)}, [&](int64_t i, const auto& at) {
    Residue& first = out.values[static_cast<size_t>(at[0])];
    const Residue value = x.values[static_cast<size_t>(i)];
    if (first == kNoNumber && IsNumber(value)) first = value;
  });
  for (Residue& value : out.values) {
    if (value == kNoNumber) value = 0;
  }
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
  const auto batches = static_cast<int64_t>(starts.size());
  const int64_t panels = numbers ? (product.n + kColumns - 1) / kColumns : product.m;
  pool.ParallelRanges(batches * panels, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t batch = i / panels;
      const std::array<int64_t, 2>& at = starts[static_cast<size_t>(batch)];
      const Residue* const x = a.values.data() + at[0];
      const Residue* const y = b.values.data() + at[1];
      Residue* const to = out.values.data() + batch * product.m * product.n;
      if (numbers) {
        MultiplyColumns(x, y, product.m, product.k, product.n, i % panels * kColumns, to);
      } else {
        const int64_t row = i % panels;
        MultiplySpecialRow(x + row * product.k, y, product.k, product.n, to + row * product.n);
      }
    }
  });
  if (a.rank() == 1) out.shape.erase(out.shape.end() - 2);
  if (b.rank() == 1) out.shape.pop_back();
  return out;
}

absl::StatusOr<Residues> ProductMemo::Times(const Residues& a, const Residues& b,
                                            const ThreadPool& pool) {
  constexpr int64_t kMostElements = int64_t{1} << 26;
  uint64_t shapes = FunctionNumber("product");
  for (const Residues* x : {&a, &b}) {
    shapes = MixNumbers(shapes, static_cast<uint64_t>(x->rank()));
    for (const int64_t size : x->shape) shapes = MixNumbers(shapes, static_cast<uint64_t>(size));
  }
  const auto hash_of = [](const Residues& x) {
    return XXH3_128bits(x.values.data(), x.values.size() * sizeof(Residue));
  };
  const XXH128_hash_t left = hash_of(a);
  const XXH128_hash_t right = hash_of(b);
  const std::array<uint64_t, 2> key = {
      MixNumbers(MixNumbers(shapes, left.low64), right.low64),
      MixNumbers(MixNumbers(shapes + 1, left.high64), right.high64)};
  if (const auto made = made_.find(key); made != made_.end()) return made->second;
  OC_ASSIGN_OR_RETURN(Residues product, Product(a, b, pool));
  if (elements_ + product.size() <= kMostElements) {
    elements_ += product.size();
    made_.emplace(key, product);
  }
  return product;
}

}  // namespace onnxcmp
