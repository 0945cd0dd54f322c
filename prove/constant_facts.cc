#include "prove/constant_facts.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "prove/field_node.h"
#include "record/base/work_bounds.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

uint64_t NextOfColumn(uint64_t column, double element) {
  // -0 is 0.
  column = (column ^ std::bit_cast<uint64_t>(element + 0.0)) * 0x9e3779b97f4a7c15;
  return column ^ (column >> 29);
}

// The columns of a matrix in memory; empty if some number is not finite.
ColumnNumbers ColumnsOfMatrix(const Tensor& matrix, bool transposed, const ThreadPool& pool) {
  const int64_t rows = matrix.dim(0);
  const int64_t row = matrix.dim(1);
  const int64_t count = transposed ? rows : row;
  ColumnNumbers columns(static_cast<size_t>(count), FunctionNumber("column"));
  std::atomic<bool> finite = true;
  pool.ParallelRanges(count, 64, [&](int64_t first, int64_t last) {
    std::vector<double> piece(static_cast<size_t>(transposed ? row : last - first));
    const auto load = [&](int64_t from) {
      LoadElements<double>(matrix.dtype(), matrix.raw_data(), from,
                           static_cast<int64_t>(piece.size()), piece.data());
      if (!std::all_of(piece.begin(), piece.end(), [](double x) { return std::isfinite(x); })) {
        finite = false;
      }
    };
    if (transposed) {
      for (int64_t i = first; i < last; ++i) {
        load(i * row);
        uint64_t& column = columns[static_cast<size_t>(i)];
        for (const double element : piece) column = NextOfColumn(column, element);
      }
      return;
    }
    for (int64_t i = 0; i < rows; ++i) {
      load(i * row + first);
      for (size_t j = 0; j < piece.size(); ++j) {
        uint64_t& column = columns[static_cast<size_t>(first) + j];
        column = NextOfColumn(column, piece[j]);
      }
    }
  });
  return finite ? columns : ColumnNumbers();
}

}  // namespace

Hash128 ConstantFacts::Content(const Value& value) {
  if (!value.is_tensor()) return ContentOf(value, &pool_);
  const Tensor& tensor = value.tensor();
  const std::shared_ptr<Buffer>& buffer = tensor.buffer();
  if (buffer == nullptr || tensor.num_elements() < work_bounds::kLooks ||
      !(buffer->stored() || buffer->borrowed())) {
    return ContentOf(value, &pool_);
  }
  const auto [known, is_new] = contents_.try_emplace(
      Place(buffer.get(), tensor.offset(), tensor.dtype(), tensor.shape(), tensor.strides()));
  if (is_new) known->second = {tensor, ContentOf(value, &pool_)};
  return known->second.content;
}

absl::StatusOr<bool> ConstantFacts::IsTable(const Tensor& tensor) {
  if (tensor.num_elements() < work_bounds::kLooks) return false;
  const auto [known, is_new] = tables_.try_emplace(Content(tensor));
  if (is_new) {
    OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(&pool_));
    OC_ASSIGN_OR_RETURN(const Tensor whole, in_memory.Contiguous());
    known->second = !OneNumber(whole).has_value();
  }
  return known->second;
}

absl::StatusOr<const ColumnNumbers*> ConstantFacts::Columns(const Tensor& tensor, bool transposed) {
  if (tensor.rank() != 2 || !IsFloatingPoint(tensor.dtype())) return nullptr;
  const Hash128 content = Content(tensor);
  const auto [known, is_new] =
      columns_.try_emplace({MixNumbers(content.low, transposed ? 1 : 0), content.high});
  if (is_new) {
    OC_ASSIGN_OR_RETURN(const Tensor in_memory, tensor.InMemory(&pool_));
    OC_ASSIGN_OR_RETURN(const Tensor whole, in_memory.Contiguous());
    known->second = std::make_unique<ColumnNumbers>(ColumnsOfMatrix(whole, transposed, pool_));
  }
  return known->second->empty() ? nullptr : known->second.get();
}

Residues ProductsAsFunctions(const PrimeField& field, const Residues& rows,
                             const ColumnNumbers& columns, const ThreadPool& pool) {
  const int64_t terms = rows.shape.back();
  const auto width = static_cast<int64_t>(columns.size());
  Shape shape = rows.shape;
  shape.back() = width;
  Residues out = Residues::Unfilled(shape, rows.workspace());
  Residue* const to = out.values.data();
  const Residue* const from = rows.values.data();
  pool.ParallelRanges(rows.size() / terms, 1, [&](int64_t first, int64_t last) {
    std::vector<Residue> row(static_cast<size_t>(terms));
    for (int64_t i = first; i < last; ++i) {
      std::copy_n(from + i * terms, terms, row.begin());
      Residue* const products = to + i * width;
      const auto some = std::find_if(row.begin(), row.end(), [](Residue x) { return x != 0; });
      const bool known = std::all_of(row.begin(), row.end(), IsNumber);
      if (some == row.end() || !known) {
        std::fill_n(products, width, known ? 0 : kNoNumber);
        continue;
      }
      const Residue size = *some;
      const Residue inverse = field.Inverse(size);
      for (Residue& number : row) number = field.Mul(number, inverse);
      const uint64_t function = MixNumbers(FunctionNumber("product"),
                                           XXH3_64bits(row.data(), row.size() * sizeof(Residue)));
      for (int64_t j = 0; j < width; ++j) {
        const auto column = static_cast<Residue>(columns[static_cast<size_t>(j)] >> 1);
        products[j] = field.Mul(size, field.Random(function, column));
      }
    }
  });
  return out;
}

bool ShareConstants(const Comparison& comparison) {
  absl::flat_hash_set<Hash128> right;
  const auto is_large = [](const StreamResult& result) {
    return result.kind == ResultKind::kInitializer && result.shape.has_value() &&
           result.shape->size() == 2 &&
           (*result.shape)[0] * (*result.shape)[1] >= work_bounds::kLooks;
  };
  // Filters of images may have other factors, too.
  const auto is_filter = [](const StreamResult& result) {
    return result.kind == ResultKind::kInitializer && result.shape.has_value() &&
           result.shape->size() > 2;
  };
  for (const StreamResult& result : comparison.right.results) {
    if (is_large(result)) right.insert(result.fingerprint.content);
  }
  int64_t all = 0;
  int64_t shared = 0;
  for (const StreamResult& result : comparison.left.results) {
    if (!is_large(result)) continue;
    const int64_t size = (*result.shape)[0] * (*result.shape)[1];
    all += size;
    if (right.contains(result.fingerprint.content)) shared += size;
  }
  const bool filters = absl::c_any_of(comparison.left.results, is_filter) &&
                       absl::c_any_of(comparison.right.results, is_filter);
  return (shared > 0 || filters) && 2 * shared >= all;
}

}  // namespace onnxcmp
