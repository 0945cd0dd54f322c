#include "prove/field/product.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/scratch.h"
#include "evaluator/base/status_macros.h"
#include "prove/field/product_loops.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Columns of a task: enough that the left matrix's parts are worth reading, few enough that their
// own parts stay in the cache.
constexpr int64_t kMostColumns = 128;
// So few rows or columns are not worth splitting the numbers of the other matrix.
constexpr int64_t kFewRows = 2;

int64_t Pieces(int64_t size, int64_t piece) { return (size + piece - 1) / piece; }

bool AllNumbers(const Residues& x) {
  Residue any = 0;
  for (const Residue value : x.values) any |= value;
  return any >= 0;
}

// The shapes of a product, as matrices, and that of the result.
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

// A row of a product, one product after the other: where some are no numbers, or rows are few.
void MultiplyRow(const PrimeField& field, const Residue* a, const Residue* b, int64_t k, int64_t n,
                 Residue* out) {
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      out[j] = field.Add(out[j], field.Mul(a[i], b[i * n + j]));
    }
  }
}

// A product of numbers alone with few columns: sums of 128 bits, each reduced once.
void MultiplyByFewColumns(const PrimeField& field, const Residue* a, const Residue* b, int64_t m,
                          int64_t k, int64_t n, const ThreadPool& pool, Residue* out) {
  std::vector<uint64_t> columns(static_cast<size_t>(n * k));
  for (int64_t i = 0; i < n * k; ++i) {
    columns[static_cast<size_t>(i % n * k + i / n)] = static_cast<uint64_t>(b[i]);
  }
  pool.ParallelRanges(m, 16, [&](int64_t first, int64_t last) {
    for (int64_t i = first * n; i < last * n; ++i) {
      const Residue* const row = a + i / n * k;
      const uint64_t* const column = columns.data() + i % n * k;
      unsigned __int128 sum = 0;
      for (int64_t term = 0; term < k; ++term) {
        sum += static_cast<unsigned __int128>(static_cast<uint64_t>(row[term])) * column[term];
      }
      out[i] = static_cast<Residue>(static_cast<uint64_t>(sum % field.prime()));
    }
  });
}

// The left matrix's parts: blocks of rows, one after the other, for each piece of the terms.
class SplitMatrix {
 public:
  SplitMatrix(const PrimeField& field, const Residue* a, int64_t m, int64_t k,
              const ProductLoops& loops, const ThreadPool& pool)
      : blocks_(Pieces(m, loops.rows)),
        block_size_(loops.rows * kProductTerms * kProductParts),
        parts_(pool, blocks_ * Pieces(k, kProductTerms) * block_size_) {
    pool.ParallelRanges(blocks_, 8, [&](int64_t first, int64_t last) {
      for (int64_t block = first; block < last; ++block) {
        const int64_t row = block * loops.rows;
        for (int64_t term = 0; term < k; term += kProductTerms) {
          loops.split_rows(field, a + row * k + term, k, std::min(loops.rows, m - row),
                           std::min(kProductTerms, k - term), At(block, term / kProductTerms));
        }
      }
    });
  }

  int64_t blocks() const { return blocks_; }
  double* At(int64_t block, int64_t piece) const {
    return parts_.data() + (piece * blocks_ + block) * block_size_;
  }

 private:
  int64_t blocks_;
  int64_t block_size_;
  Scratch<double> parts_;
};

// `width` columns of a product of numbers alone; `out` is zeros.
void MultiplyColumns(const PrimeField& field, const SplitMatrix& left, const Residue* b, int64_t m,
                     int64_t k, int64_t n, int64_t width, const ProductLoops& loops,
                     const ThreadPool& pool, Residue* out) {
  const int64_t panels = Pieces(width, loops.columns);
  const int64_t panel_size = loops.columns * kProductTerms * kProductParts;
  const Scratch<double> right(pool, panels * panel_size);
  const auto width_of = [&](int64_t panel) {
    return std::min(loops.columns, width - panel * loops.columns);
  };
  for (int64_t term = 0; term < k; term += kProductTerms) {
    const int64_t terms = std::min(kProductTerms, k - term);
    for (int64_t panel = 0; panel < panels; ++panel) {
      loops.split_columns(field, b + term * n + panel * loops.columns, n, terms, width_of(panel),
                          right.data() + panel * panel_size);
    }
    for (int64_t block = 0; block < left.blocks(); ++block) {
      const int64_t row = block * loops.rows;
      const double* const rows = left.At(block, term / kProductTerms);
      for (int64_t panel = 0; panel < panels; ++panel) {
        loops.multiply(field, rows, right.data() + panel * panel_size, terms,
                       std::min(loops.rows, m - row), width_of(panel),
                       out + row * n + panel * loops.columns, n);
      }
    }
  }
}

// One product of two matrices.
void MultiplyMatrices(const PrimeField& field, const Residue* a, const Residue* b, int64_t m,
                      int64_t k, int64_t n, bool numbers, const ThreadPool& pool, Residue* out) {
  if (!numbers || m < kFewRows || (m == kFewRows && n < kMostColumns)) {
    for (int64_t row = 0; row < m; ++row) MultiplyRow(field, a + row * k, b, k, n, out + row * n);
    return;
  }
  if (n <= kFewRows && n > 0) {
    MultiplyByFewColumns(field, a, b, m, k, n, pool, out);
    return;
  }
  const ProductLoops& loops = BestProductLoops();
  const SplitMatrix left(field, a, m, k, loops, pool);
  // A few tasks at least, of whole panels.
  const int64_t wanted = std::min(kMostColumns, Pieces(n, 8));
  const int64_t columns = Pieces(wanted, loops.columns) * loops.columns;
  pool.ParallelRanges(n, columns, [&](int64_t first, int64_t last) {
    MultiplyColumns(field, left, b + first, m, k, n, last - first, loops, pool, out + first);
  });
}

Hash128 ResidueContent(const Residues& x) {
  Hash128 content = ToHash128(XXH3_128bits(x.values.data(), x.values.size() * sizeof(Residue)));
  for (const int64_t size : x.shape) {
    content = {MixNumbers(content.low, static_cast<uint64_t>(size)),
               MixNumbers(content.high, static_cast<uint64_t>(size))};
  }
  return content;
}

// A product with a right side of this rank. Rows of a batch are rows of one matrix, where the right
// one is the same for all.
absl::StatusOr<Residues> ByRows(
    const Residues& a, int right_rank,
    absl::FunctionRef<absl::StatusOr<Residues>(const Residues&)> product_of) {
  if (right_rank != 2 || a.rank() <= 2 || a.shape.back() == 0) return product_of(a);
  const int64_t terms = a.shape.back();
  OC_ASSIGN_OR_RETURN(Residues product, product_of({{a.size() / terms, terms}, a.values}));
  const int64_t columns = product.shape.back();
  product.shape = a.shape;
  product.shape.back() = columns;
  return product;
}

std::array<uint64_t, 2> KeyOf(std::initializer_list<Hash128> contents) {
  std::array<uint64_t, 2> key = {FunctionNumber("product"), FunctionNumber("of contents")};
  for (const Hash128& content : contents) {
    key = {MixNumbers(key[0], content.low), MixNumbers(key[1], content.high)};
  }
  return key;
}

}  // namespace

absl::StatusOr<Residues> Product(const PrimeField& field, const Residues& a, const Residues& b,
                                 const ThreadPool& pool) {
  if (a.rank() == 0 || b.rank() == 0) return absl::InvalidArgumentError("a product of scalars");
  Shape left = a.shape;
  Shape right = b.shape;
  if (a.rank() == 1) left.insert(left.begin(), 1);
  if (b.rank() == 1) right.push_back(1);
  OC_ASSIGN_OR_RETURN(const ProductShape product, ShapeOfProduct(left, right));
  Residues out = Residues::Unfilled(product.result, a.workspace());
  const bool numbers = AllNumbers(a) && AllNumbers(b);
  // Where the matrices of a batch begin, as numbers of matrices.
  const auto starts_of = [&](const Shape& shape) {
    const Shape batch(shape.begin(), shape.end() - 2);
    Residues starts = Residues::Filled(batch, 0);
    for (int64_t i = 0; i < starts.size(); ++i) starts.values[static_cast<size_t>(i)] = i;
    return BroadcastTo(starts, product.batch);
  };
  OC_ASSIGN_OR_RETURN(const Residues starts_a, starts_of(left));
  OC_ASSIGN_OR_RETURN(const Residues starts_b, starts_of(right));
  const int64_t size = product.m * product.n;
  const Residue* const x = a.values.data();
  const Residue* const y = b.values.data();
  Residue* const to = out.values.data();
  pool.ParallelRanges(starts_a.size(), 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const auto at = static_cast<size_t>(i);
      std::fill_n(to + i * size, size, 0);
      MultiplyMatrices(field, x + starts_a.values[at] * product.m * product.k,
                       y + starts_b.values[at] * product.k * product.n, product.m, product.k,
                       product.n, numbers, pool, to + i * size);
    }
  });
  if (a.rank() == 1) out.shape.erase(out.shape.end() - 2);
  if (b.rank() == 1) out.shape.pop_back();
  return out;
}

namespace {

// Vectors up to a factor: two random sums of the elements of each. The first is their size, and its
// quotient with the second says which they are.
struct Directions {
  std::vector<Residue> sizes, kinds;
};
Directions DirectionsOf(const PrimeField& field, const Residue* first, const Residue* second,
                        int64_t step, int64_t count) {
  Directions made;
  for (int64_t i = 0; i < count; ++i) {
    made.sizes.push_back(first[i * step]);
    made.kinds.push_back(first[i * step]);
  }
  field.Invert(absl::MakeSpan(made.kinds));
  for (size_t i = 0; i < made.kinds.size(); ++i) {
    const Residue other = second[static_cast<int64_t>(i) * step];
    // Vectors of zeros alone are of no kind.
    made.kinds[i] = (made.sizes[i] | other) == 0 ? 0 : field.Mul(made.kinds[i], other);
  }
  return made;
}

}  // namespace

absl::StatusOr<Residues> ProductAsFunction(const PrimeField& field, const Residues& a,
                                           const Residues& b, const ThreadPool& pool) {
  if (!AllNumbers(a) || !AllNumbers(b)) return Product(field, a, b, pool);
  const int64_t rows = a.shape[0];
  const int64_t terms = a.shape[1];
  const int64_t columns = b.shape[1];
  const auto random = [&](absl::string_view name, const Shape& shape) {
    Residues numbers = Residues::Filled(shape, 0);
    Residue next = 0;
    for (Residue& number : numbers.values) number = field.Random(FunctionNumber(name), next++);
    return numbers;
  };
  OC_ASSIGN_OR_RETURN(const Residues of_rows,
                      Product(field, a, random("sums of rows", {terms, 2}), pool));
  OC_ASSIGN_OR_RETURN(const Residues of_columns,
                      Product(field, random("sums of columns", {2, terms}), b, pool));
  const Residue* const row_sums = of_rows.values.data();
  const Residue* const column_sums = of_columns.values.data();
  const Directions left = DirectionsOf(field, row_sums, row_sums + 1, 2, rows);
  const Directions right = DirectionsOf(field, column_sums, column_sums + columns, 1, columns);
  const uint64_t function = MixNumbers(FunctionNumber("product"), static_cast<uint64_t>(terms));
  Residues out = Residues::Unfilled({rows, columns}, b.workspace());
  Residue* const to = out.values.data();
  pool.ParallelRanges(rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<size_t>(i);
      const absl::Span<Residue> numbers(to + i * columns, static_cast<size_t>(columns));
      absl::c_copy(right.kinds, numbers.begin());
      field.RandomAll(MixNumbers(function, static_cast<uint64_t>(left.kinds[row])), numbers);
      for (size_t j = 0; j < numbers.size(); ++j) {
        numbers[j] = field.Mul(field.Mul(left.sizes[row], right.sizes[j]), numbers[j]);
      }
    }
  });
  return out;
}

absl::StatusOr<Residues> ProductMemo::Times(const PrimeField& field, const Residues& a,
                                            const Residues& b, const ThreadPool& pool) {
  return ByRows(a, b.rank(), [&](const Residues& rows) -> absl::StatusOr<Residues> {
    const Key key = KeyOf({ResidueContent(rows), ResidueContent(b)});
    if (const auto made = made_.find(key); made != made_.end()) return made->second;
    OC_ASSIGN_OR_RETURN(Residues product, Product(field, rows, b, pool));
    Keep(key, product);
    return product;
  });
}

absl::StatusOr<Residues> ProductMemo::Times(const PrimeField& field, const Residues& a,
                                            const Hash128& content, int rank,
                                            absl::FunctionRef<absl::StatusOr<Residues>()> b,
                                            const ThreadPool& pool) {
  return ByRows(a, rank, [&](const Residues& rows) -> absl::StatusOr<Residues> {
    const Key key = KeyOf({ResidueContent(rows), content, {FunctionNumber("constant"), 0}});
    if (const auto made = made_.find(key); made != made_.end()) return made->second;
    OC_ASSIGN_OR_RETURN(const Residues right, b());
    OC_ASSIGN_OR_RETURN(Residues product, Times(field, rows, right, pool));
    Keep(key, product);
    return product;
  });
}

void ProductMemo::Keep(const Key& key, const Residues& product) {
  constexpr int64_t kMostElements = int64_t{1} << 24;
  if (elements_ + product.size() > kMostElements) return;
  elements_ += product.size();
  made_.emplace(key, product);
}

}  // namespace onnxcmp
