#include "compare/inside/part_of_constant.h"

#include <vector>

#include <gtest/gtest.h>

#include "evaluator/tensor/tensor.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;

TEST(IsPartOfConstantTest, SlicesAlongOneAxis) {
  const Tensor constant = RandomFloats({6, 8}, 1);
  const Tensor rows = *constant.Strided({3, 8}, {8, 1}, 16).Contiguous();
  EXPECT_TRUE(IsPartOfConstant(rows, constant));
  const Tensor columns = *constant.Strided({6, 3}, {8, 1}, 4).Contiguous();
  EXPECT_TRUE(IsPartOfConstant(columns, constant));
  EXPECT_TRUE(IsPartOfConstant(columns.Reshaped({1, 6, 3}), constant));
}

TEST(IsPartOfConstantTest, NothingElse) {
  const Tensor constant = RandomFloats({6, 8}, 1);
  EXPECT_FALSE(IsPartOfConstant(constant, constant));
  EXPECT_FALSE(IsPartOfConstant(RandomFloats({3, 8}, 2), constant));
  const Tensor corner = *constant.Strided({3, 4}, {8, 1}, 0).Contiguous();
  EXPECT_FALSE(IsPartOfConstant(corner, constant));
  const Tensor zeros = Tensor::Of<float>({4, 4}, std::vector<float>(16));
  EXPECT_FALSE(IsPartOfConstant(Tensor::Of<float>({2, 4}, std::vector<float>(8)), zeros));
}

}  // namespace
}  // namespace onnxcmp
