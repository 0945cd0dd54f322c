// Expected letters are NumPy 2.4's: numpy.sum of each of the four runs in float64.
#include "record/differences/letters.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

std::string Text(const Value& value, const ThreadPool* pool = nullptr) {
  const Letters letters = LettersOf(value, pool);
  return std::string(letters.data(), letters.size());
}

// float32((i * 7919 % 1009) / 7 - 70)
Tensor Floats(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(static_cast<double>(i * 7919 % 1009) / 7 - 70));
  }
  return Tensor::Of<float>({count}, values);
}

TEST(LetterTest, IsTheWholePartModulo26) {
  EXPECT_EQ(LetterOf(0), 'A');
  EXPECT_EQ(LetterOf(25.99), 'Z');
  EXPECT_EQ(LetterOf(27), 'B');
  EXPECT_EQ(LetterOf(-0.99), 'A');  // cut towards zero
  EXPECT_EQ(LetterOf(-1), 'Z');     // as Python's %
  EXPECT_EQ(LetterOf(-26), 'A');
  EXPECT_EQ(LetterOf(9999999999.9), 'P');  // 9999999999 % 26 == 15
  EXPECT_EQ(LetterOf(1e10), '?');
  EXPECT_EQ(LetterOf(-1e10), '?');
  EXPECT_EQ(LetterOf(std::numeric_limits<double>::infinity()), '?');
  EXPECT_EQ(LetterOf(std::nan("")), '?');
}

TEST(LettersTest, FewElementsStandForThemselves) {
  EXPECT_EQ(Text(Tensor::Of<float>({0}, {})), "AAAA");
  EXPECT_EQ(Text(Tensor::Scalar<int64_t>(3)), "DAAA");
  EXPECT_EQ(Text(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})), "BCDE");
  EXPECT_EQ(Text(Tensor::Of<bool>({3}, {true, false, true})), "BABA");
  EXPECT_EQ(Text(Tensor::Of<std::complex<float>>({2}, {{1, 9}, {2, 9}})), "BCAA");
}

TEST(LettersTest, ManyElementsAreFilledUpAndCutInFour) {
  EXPECT_EQ(Text(Floats(5)), "JNNA");
  EXPECT_EQ(Text(Floats(6)), "JNEA");
  EXPECT_EQ(Text(Floats(9)), "MNZA");
  EXPECT_EQ(Text(Floats(31)), "IXOS");
  EXPECT_EQ(Text(Floats(33)), "YKWJ");
  EXPECT_EQ(Text(Floats(127)), "JKWY");
  EXPECT_EQ(Text(Floats(513)), "PMRO");
  EXPECT_EQ(Text(Floats(1021)), "ISCL");
  EXPECT_EQ(Text(Floats(5003)), "UTSK");
}

// Sums of n tenths are whole numbers but for rounding, and fall on the side that the order of
// summation decides: from left to right 10, 1000, 1030, 2050 and 10010 would give other letters.
TEST(LettersTest, SumsInNumPysOrder) {
  const std::pair<int64_t, const char*> expected[] = {
      {10, "BBBB"},   {20, "CCCC"},   {70, "GGGG"},    {90, "IIII"},     {130, "MMMM"},
      {150, "OOOO"},  {250, "ZZZZ"},  {260, "AAAA"},   {1000, "WWWW"},   {1030, "ZZZZ"},
      {2050, "XXXX"}, {4090, "TTTT"}, {10010, "MMMM"}, {100010, "RRRR"}, {1000030, "HHHH"}};
  const ThreadPool pool(2);
  for (const auto& [n, letters] : expected) {
    const Tensor tenths = Tensor::Of<double>({4 * n}, std::vector<double>(4 * n, 0.1));
    EXPECT_EQ(Text(tenths), letters) << n;
    EXPECT_EQ(Text(tenths, &pool), letters) << n << ", with threads";
  }
}

TEST(LettersTest, ViewsAreReadInRowMajorOrder) {
  const Tensor floats = Floats(1200);
  EXPECT_EQ(Text(floats.Strided({10, 10, 12}, {1, 120, 10}, 0)), "SLTK");     // transposed
  EXPECT_EQ(Text(floats.Strided({10, 15}, {-120, 3}, 19 * 60 + 5)), "LSDQ");  // sliced backwards
  EXPECT_EQ(Text(Floats(7).Strided({9, 7, 11}, {0, 1, 0}, 0)), "IBUP");       // expanded
}

TEST(LettersTest, OtherTypesAreSummedAsDoubles) {
  EXPECT_EQ(Text(testing::Convert(Floats(1021), DType::kFloat16)), "ISCL");
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < 100; ++i) {
    integers.push_back(i - 1000);
  }
  EXPECT_EQ(Text(Tensor::Of<int64_t>({100}, integers)), "ABCD");
  // Packed: 1, 2, ... 7, 0 are summed in pairs of two.
  const Tensor small = Tensor::Of<int64_t>({8}, {1, 2, 3, 4, 5, 6, 7, 0});
  absl::StatusOr<Tensor> packed = Tensor::Allocate(DType::kUint4, {8});
  ASSERT_TRUE(packed.ok());
  StoreElements<int64_t>(DType::kUint4, small.data<int64_t>(), 8, packed->mutable_raw_data(), 0);
  EXPECT_EQ(Text(*packed), "DHLH");
}

TEST(LettersTest, WhatHasNoNumbersHasNoLetters) {
  EXPECT_EQ(Text(Tensor::Of<std::string>({1}, {"1"})), "????");
  EXPECT_EQ(Text(Sequence{}), "????");
  EXPECT_EQ(Text(Optional{}), "????");
  EXPECT_EQ(Text(Value()), "????");
}

}  // namespace
}  // namespace onnxcmp
