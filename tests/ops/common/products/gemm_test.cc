#include "ops/common/products/gemm.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/base/instructions.h"
#include "ops/common/products/gemm_by.h"
#include "tests/support/instructions_here.h"

namespace onnxcmp::testing {
namespace {

// Small integers and fractions, so that sums round.
template <typename T>
std::vector<T> Numbers(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<T> numbers(static_cast<size_t>(count));
  for (T& x : numbers) {
    if constexpr (std::is_floating_point_v<T>) {
      x = static_cast<T>(static_cast<int32_t>(generator())) / static_cast<T>(1 << 30);
    } else {
      x = static_cast<T>(uint64_t{generator()} << 32 | generator());
    }
  }
  return numbers;
}

// The sum as gemm.h promises it, one element at a time.
template <typename T>
T Expected(const GemmShape& shape, const T* a, int64_t a_step, const T* b, int64_t b_step, T c,
           bool accumulate) {
  for (int64_t k0 = 0; k0 < shape.k; k0 += kGemmDepth) {
    T sum = 0;
    for (int64_t k = k0; k < std::min(shape.k, k0 + kGemmDepth); ++k) {
      if constexpr (std::is_floating_point_v<T>) {
        sum = std::fma(a[k * a_step], b[k * b_step], sum);
      } else {
        sum += a[k * a_step] * b[k * b_step];
      }
    }
    c = k0 > 0 || accumulate ? c + sum : sum;
  }
  return shape.k == 0 && !accumulate ? T(0) : c;
}

// The ways that this processor can go.
enum class Layout { kRows, kColumns, kBackwards };

// Strides of a rows x columns matrix, and where its first element is.
struct Strides {
  int64_t row, column, offset;
};
Strides StridesOf(Layout layout, int64_t rows, int64_t columns) {
  switch (layout) {
    case Layout::kRows:
      return {columns, 1, 0};
    case Layout::kColumns:
      return {1, rows, 0};
    case Layout::kBackwards:
      return {-2 * columns, -2, 2 * rows * columns - 1};
  }
  return {};
}

template <typename T>
void Check(const GemmShape& shape, Layout a_layout, Layout b_layout, bool accumulate) {
  SCOPED_TRACE(::testing::Message()
               << shape.m << " x " << shape.n << " x " << shape.k << ", batch " << shape.batch
               << ", layouts " << static_cast<int>(a_layout) << " " << static_cast<int>(b_layout));
  const auto a = Numbers<T>(2 * shape.batch * shape.m * shape.k + 1, 1);
  const auto b = Numbers<T>(2 * shape.batch * shape.k * shape.n + 1, 2);
  const int64_t c_row = shape.n + 3;
  const auto before = Numbers<T>(shape.batch * shape.m * c_row, 3);
  const Strides as = StridesOf(a_layout, shape.m, shape.k);
  const Strides bs = StridesOf(b_layout, shape.k, shape.n);
  for (const Instructions instructions : InstructionsHere()) {
    SCOPED_TRACE(::testing::Message() << "instructions " << static_cast<int>(instructions));
    ThreadPool pool(instructions == Instructions::kBase ? 1 : 3);
    auto c = before;
    GemmBy<T>(instructions, pool, shape,
              {a.data() + as.offset, as.row, as.column, shape.m * shape.k},
              {b.data() + bs.offset, bs.row, bs.column, shape.k * shape.n},
              {c.data(), c_row, shape.m * c_row, {}, accumulate});
    for (int64_t i = 0; i < shape.batch; ++i) {
      for (int64_t row = 0; row < shape.m; ++row) {
        for (int64_t column = 0; column < c_row; ++column) {
          const auto at = static_cast<size_t>((i * shape.m + row) * c_row + column);
          const T want =
              column >= shape.n
                  ? before[at]
                  : Expected(shape, a.data() + as.offset + i * shape.m * shape.k + row * as.row,
                             as.column,
                             b.data() + bs.offset + i * shape.k * shape.n + column * bs.column,
                             bs.row, before[at], accumulate);
          // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what is compared
          ASSERT_EQ(std::memcmp(&c[at], &want, sizeof(T)), 0)
              << "at " << i << ", " << row << ", " << column << ": " << c[at] << " is not " << want;
        }
      }
    }
  }
}

// One for each way of computing: tiny, in place, one row, few rows, packed by the task, packed for
// all, several blocks of k; remainders of rows, columns and k everywhere.
const GemmShape kShapes[] = {
    {1, 1, 1},       {4, 16, 8, 300}, {3, 5, 7},        {7, 9, 300},   {1, 1100, 600},
    {2, 130, 270},   {8, 71, 513},    {13, 33, 64, 20}, {50, 600, 70}, {129, 49, 520},
    {100, 100, 257}, {5, 40, 0},      {0, 4, 4},        {4, 0, 4},     {60, 65, 120, 3},
    {500, 3, 40},    {12, 64, 40},    {23, 80, 30},     {5, 200, 20},  {11, 47, 258},
};

template <typename T>
class GemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, uint32_t, uint64_t>;
TYPED_TEST_SUITE(GemmTest, Types);

TYPED_TEST(GemmTest, ElementsAreTheSumsThatTheHeaderPromises) {
  for (const GemmShape& shape : kShapes) {
    Check<TypeParam>(shape, Layout::kRows, Layout::kRows, false);
    Check<TypeParam>(shape, Layout::kRows, Layout::kColumns, true);
    Check<TypeParam>(shape, Layout::kColumns, Layout::kRows, false);
    Check<TypeParam>(shape, Layout::kBackwards, Layout::kBackwards, false);
  }
}

// Columns of a matrix of pairs.
class PairPacker final : public GemmPacker<gemm_internal::Int16Pair> {
 public:
  PairPacker(const std::vector<gemm_internal::Int16Pair>& b, int64_t columns)
      : b_(b), columns_(columns) {}
  void Pack(int64_t /*batch*/, int64_t k, int64_t depth, int64_t column, int64_t columns,
            gemm_internal::Int16Pair* panel) const override {
    constexpr int64_t kWidth = kGemmPanelColumns<gemm_internal::Int16Pair>;
    for (int64_t i = 0; i < depth; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        panel[i * kWidth + j] = b_[static_cast<size_t>((k + i) * columns_ + column + j)];
      }
    }
  }

 private:
  const std::vector<gemm_internal::Int16Pair>& b_;
  const int64_t columns_;
};

TEST(MatrixProduct, PairsOfIntegersAreExact) {
  for (const GemmShape& shape : {GemmShape{1, 1, 1}, GemmShape{4, 70, 300}, GemmShape{13, 33, 7},
                                 GemmShape{26, 100, 520}, GemmShape{100, 17, 64}}) {
    std::mt19937 generator(5);
    const auto numbers = [&](int64_t count) {
      std::vector<gemm_internal::Int16Pair> pairs(static_cast<size_t>(count));
      for (auto& [first, second] : pairs) {
        first = static_cast<int16_t>(static_cast<int>(generator() % 511) - 255);
        second = static_cast<int16_t>(static_cast<int>(generator() % 511) - 255);
      }
      return pairs;
    };
    const auto a = numbers(shape.m * shape.k);
    const auto b = numbers(shape.k * shape.n);
    std::vector<int32_t> want(static_cast<size_t>(shape.m * shape.n));
    for (int64_t i = 0; i < shape.m; ++i) {
      for (int64_t j = 0; j < shape.n; ++j) {
        for (int64_t k = 0; k < shape.k; ++k) {
          const auto x = a[static_cast<size_t>(i * shape.k + k)];
          const auto y = b[static_cast<size_t>(k * shape.n + j)];
          want[static_cast<size_t>(i * shape.n + j)] += x.first * y.first + x.second * y.second;
        }
      }
    }
    for (const Instructions instructions : InstructionsHere()) {
      std::vector<int32_t> c(want.size());
      GemmPackedBy<gemm_internal::Int16Pair>(instructions, ThreadPool(1), shape,
                                             {a.data(), shape.k}, PairPacker(b, shape.n),
                                             {c.data(), shape.n});
      EXPECT_EQ(c, want) << shape.m << " x " << shape.n << " x " << shape.k << ", instructions "
                         << static_cast<int>(instructions);
    }
  }
}

TEST(MatrixProduct, BroadcastsBatchesByOffsets) {
  const std::vector<float> a = {1, 2, 3, 4};  // two rows of one matrix each
  const std::vector<float> b = {1, 10, 100, 1000};
  const std::vector<int64_t> a_offsets = {0, 0, 2, 2};
  const std::vector<int64_t> b_offsets = {0, 2, 0, 2};
  std::vector<float> c(4);
  Gemm<float>(ThreadPool(1), {1, 1, 2, 4}, {a.data(), 2, 1, 0, a_offsets},
              {b.data(), 1, 1, 0, b_offsets}, {c.data(), 1, 1});
  EXPECT_EQ(c, (std::vector<float>{21, 2100, 43, 4300}));
}

TEST(MatrixProduct, EpilogueSeesEveryElementOnce) {
  for (const GemmShape& shape : kShapes) {
    const auto a = Numbers<float>(shape.batch * shape.m * shape.k, 1);
    const auto b = Numbers<float>(shape.batch * shape.k * shape.n, 2);
    std::vector<float> plain(static_cast<size_t>(shape.batch * shape.m * shape.n));
    std::vector<float> negated = plain;
    ThreadPool pool(2);
    const GemmFactor<float> left = {a.data(), shape.k, 1, shape.m * shape.k};
    const GemmFactor<float> right = {b.data(), shape.n, 1, shape.k * shape.n};
    Gemm<float>(pool, shape, left, right, {plain.data(), shape.n, shape.m * shape.n});
    Gemm<float>(pool, shape, left, right, {negated.data(), shape.n, shape.m * shape.n},
                [&](const GemmBlock& block) {
                  for (int64_t i = block.row_begin; i < block.row_end; ++i) {
                    for (int64_t j = block.column_begin; j < block.column_end; ++j) {
                      float& x =
                          negated[static_cast<size_t>((block.batch * shape.m + i) * shape.n + j)];
                      x = -x - 1;
                    }
                  }
                });
    for (size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(negated[i], -plain[i] - 1);
  }
}

TEST(MatrixProduct, NaNAndInfinityStayInTheirRowAndColumn) {
  std::vector<float> a(20 * 20, 1), b(20 * 20, 1), c(20 * 20);
  a[3 * 20 + 4] = NAN;
  b[5 * 20 + 19] = INFINITY;
  Gemm<float>(ThreadPool(1), {20, 20, 20}, {a.data(), 20}, {b.data(), 20}, {c.data(), 20});
  for (size_t i = 0; i < 20; ++i) {
    for (size_t j = 0; j < 20; ++j) {
      const float x = c[i * 20 + j];
      if (i == 3) {
        EXPECT_TRUE(std::isnan(x));
      } else {
        EXPECT_EQ(x, j == 19 ? INFINITY : 20.0f);
      }
    }
  }
}

}  // namespace
}  // namespace onnxcmp::testing
