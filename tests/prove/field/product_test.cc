#include "prove/field/product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "evaluator/base/instructions.h"
#include "evaluator/base/thread_pool.h"
#include "prove/field/prime_field.h"
#include "prove/field/product_loops.h"
#include "prove/field/residues.h"

namespace onnxcmp {
namespace {

const PrimeField& FieldOfProducts() {
  static const PrimeField kField(1);
  return kField;
}

Residues Random(uint64_t function, const Shape& shape) {
  Residues made = Residues::Filled(shape, 0);
  for (int64_t i = 0; i < made.size(); ++i) {
    made.values[static_cast<size_t>(i)] = FieldOfProducts().Random(function, i);
  }
  return made;
}

// Of two matrices, by its definition.
Residue Element(const Residues& a, const Residues& b, int64_t row, int64_t column) {
  Residue sum = 0;
  for (int64_t i = 0; i < a.shape[1]; ++i) {
    sum = FieldOfProducts().Add(
        sum, FieldOfProducts().Mul(a.values[static_cast<size_t>(row * a.shape[1] + i)],
                                   b.values[static_cast<size_t>(i * b.shape[1] + column)]));
  }
  return sum;
}

void ExpectProduct(const Residues& a, const Residues& b, const ThreadPool& pool) {
  const absl::StatusOr<Residues> product = Product(FieldOfProducts(), a, b, pool);
  ASSERT_TRUE(product.ok()) << product.status();
  ASSERT_EQ(product->shape, Shape({a.shape[0], b.shape[1]}));
  for (int64_t row = 0; row < a.shape[0]; ++row) {
    for (int64_t column = 0; column < b.shape[1]; ++column) {
      ASSERT_EQ(product->values[static_cast<size_t>(row * b.shape[1] + column)],
                Element(a, b, row, column))
          << row << " " << column;
    }
  }
}

TEST(Product, IsThatOfItsDefinitionAtAllSizes) {
  const ThreadPool pool(2);
  const std::vector<std::array<int64_t, 3>> sizes = {{1, 5, 9},   {3, 1, 1},     {8, 192, 8},
                                                     {9, 193, 7}, {17, 600, 33}, {4, 3, 140}};
  for (const auto& [m, k, n] : sizes) {
    ExpectProduct(Random(1, {m, k}), Random(2, {k, n}), pool);
  }
}

TEST(Product, HoldsTheGreatestNumbers) {
  const ThreadPool pool(1);
  const auto prime = static_cast<Residue>(FieldOfProducts().prime());
  // Next to p, where numbers turn negative, and where parts are greatest.
  for (const Residue number : {prime - 1, prime / 2, prime / 2 + 1, (Residue{1} << 21),
                               (Residue{1} << 43) - (Residue{1} << 21) - 1, prime - (1 << 21)}) {
    const Residues a = Residues::Filled({8, 1024}, number);
    ExpectProduct(a, Residues::Filled({1024, 8}, number), pool);
    ExpectProduct(a, Residues::Filled({1024, 8}, prime - number), pool);
  }
}

TEST(Product, OfNoNumbersIsNone) {
  const ThreadPool pool(1);
  Residues a = Random(1, {4, 3});
  a.values[4] = kNoNumber;
  a.values[6] = kPlusInfinity;
  ExpectProduct(a, Random(2, {3, 5}), pool);
}

// Rows and columns times numbers, and one element of either changed.
TEST(ProductAsFunction, GoesWithFactorsAlone) {
  const ThreadPool pool(1);
  const PrimeField& field = FieldOfProducts();
  Residues a = Random(1, {9, 30});
  Residues b = Random(2, {30, 70});
  std::fill_n(a.values.begin() + 30, 30, 0);
  const Residues made = *ProductAsFunction(field, a, b, pool);
  ASSERT_EQ(made.shape, Shape({9, 70}));
  Residues other = a;
  Residues columns = b;
  for (size_t i = 0; i < 30; ++i) {
    other.values[i] = field.Mul(5, other.values[i]);
    columns.values[i * 70 + 3] = field.Mul(7, columns.values[i * 70 + 3]);
  }
  other.values[8 * 30] = field.Add(other.values[8 * 30], 1);
  columns.values[4] = field.Add(columns.values[4], 1);
  const Residues changed = *ProductAsFunction(field, other, columns, pool);
  for (size_t row = 0; row < 9; ++row) {
    for (size_t column = 0; column < 70; ++column) {
      const size_t at = row * 70 + column;
      const Residue factor = (row == 0 ? 5 : 1) * (column == 3 ? 7 : 1);
      const bool same = row == 1 || (row < 8 && column != 4);
      EXPECT_EQ(field.Mul(factor, made.values[at]) == changed.values[at], same) << row << column;
      EXPECT_EQ(made.values[at] == 0, row == 1);
    }
  }
  // No function but a product goes with sums.
  Residues sums = a;
  for (size_t i = 0; i < 30; ++i) sums.values[i] = field.Add(a.values[i], a.values[60 + i]);
  const Residues of_sums = *ProductAsFunction(field, sums, b, pool);
  EXPECT_NE(of_sums.values[0], field.Add(made.values[0], made.values[140]));
  a.values[0] = kMinusInfinity;
  EXPECT_EQ(ProductAsFunction(field, a, b, pool)->values, Product(field, a, b, pool)->values);
}

TEST(Product, BatchesAreBroadcast) {
  const ThreadPool pool(2);
  const Residues a = Random(1, {2, 1, 3, 4});
  const Residues b = Random(2, {5, 4, 2});
  const absl::StatusOr<Residues> product = Product(FieldOfProducts(), a, b, pool);
  ASSERT_TRUE(product.ok());
  ASSERT_EQ(product->shape, Shape({2, 5, 3, 2}));
  const Residues left = {{3, 4}, ResidueArray(a.values.begin() + 12, a.values.begin() + 24)};
  const Residues right = {{4, 2}, ResidueArray(b.values.begin() + 16, b.values.begin() + 24)};
  EXPECT_EQ(product->values[static_cast<size_t>(((1 * 5 + 2) * 3 + 2) * 2 + 1)],
            Element(left, right, 2, 1));
}

// The instructions of the processor that runs the tests, and those that all have.
TEST(ProductLoops, GiveTheSameForAllInstructions) {
  const Residues a = Random(1, {4, 150});
  const Residues b = Random(2, {150, 4});
  for (const Instructions instructions : {Instructions::kBase, BestInstructions()}) {
    const ProductLoops loops = ProductLoopsFor(instructions);
    std::vector<double> rows(static_cast<size_t>(loops.rows * kProductTerms * kProductParts));
    std::vector<double> columns(static_cast<size_t>(loops.columns * kProductTerms * kProductParts));
    std::vector<Residue> out(16, 5);
    loops.split_rows(FieldOfProducts(), a.values.data(), 150, 4, 150, rows.data());
    loops.split_columns(FieldOfProducts(), b.values.data(), 4, 150, 4, columns.data());
    loops.multiply(FieldOfProducts(), rows.data(), columns.data(), 150, 4, 4, out.data(), 4);
    for (int64_t i = 0; i < 16; ++i) {
      EXPECT_EQ(out[static_cast<size_t>(i)], FieldOfProducts().Add(5, Element(a, b, i / 4, i % 4)));
    }
  }
}

}  // namespace
}  // namespace onnxcmp
