#include "compare/causes/kernel_rounding.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace onnxcmp {
namespace {

Value BentNumbers(double factor, double bent) {
  std::vector<float> numbers;
  for (int i = 0; i < 32; ++i) {
    numbers.push_back(static_cast<float>((i - 15.5) * (i % 2 == 0 ? factor : factor + bent)));
  }
  return Tensor::Of<float>({32}, numbers);
}

TEST(KernelRoundingTest, OneFactorForAll) {
  EXPECT_TRUE(IsScaled(BentNumbers(1, 0), BentNumbers(1.01, 0)));
  EXPECT_TRUE(IsScaled(BentNumbers(1, 0), BentNumbers(0.99, 0)));
  EXPECT_FALSE(IsScaled(BentNumbers(1, 0), BentNumbers(1, 0)));
  EXPECT_FALSE(
      IsScaled(BentNumbers(1, 0), BentNumbers(1.00005, 0)));  // as approximations of functions
  EXPECT_FALSE(IsScaled(BentNumbers(1, 0), BentNumbers(0.995, 0.01)));  // up and down
}

// `off` of 100 elements are `by` apart.
template <typename T>
bool AreNext(int off, int by) {
  std::vector<T> held;
  for (int i = 0; i < 100; ++i) held.push_back(static_cast<T>(i));
  std::vector<T> own = held;
  for (int i = 0; i < off; ++i) {
    T& element = own[static_cast<size_t>(i) * 7];
    element = static_cast<T>(element + by);
  }
  return AreNextIntegers(Tensor::Of<T>({100}, held), Tensor::Of<T>({100}, own));
}

TEST(KernelRoundingTest, AFewNextIntegers) {
  EXPECT_TRUE(AreNext<uint8_t>(1, 1));
  EXPECT_TRUE(AreNext<int8_t>(2, -1));
  EXPECT_FALSE(AreNext<int8_t>(3, 1));   // too many
  EXPECT_FALSE(AreNext<uint8_t>(1, 2));  // too far
  EXPECT_FALSE(AreNext<int64_t>(1, 1));  // an index
  EXPECT_FALSE(AreNextIntegers(BentNumbers(1, 0), BentNumbers(1, 0)));
}

}  // namespace
}  // namespace onnxcmp
