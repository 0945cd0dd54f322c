#include "compare/recorded/row_order.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::testing::ElementsAre;
using ::testing::Optional;

Tensor WithRows(const Tensor& tensor, const std::vector<int64_t>& rows, float noise = 0) {
  std::vector<float> elements;
  const int64_t length = tensor.num_elements() / tensor.dim(0);
  for (const int64_t row : rows) {
    for (int64_t i = 0; i < length; ++i) {
      elements.push_back(tensor.data<float>()[row * length + i] * (1 + noise));
    }
  }
  return Tensor::Of<float>(tensor.shape(), elements);
}

TEST(RowOrder, RowsThatWereShuffled) {
  const Tensor wanted = RandomFloats({4, 5}, 1);
  EXPECT_THAT(FindRowOrder(WithRows(wanted, {2, 0, 3, 1}), wanted, 1e-3),
              Optional(ElementsAre(1, 3, 0, 2)));
  EXPECT_THAT(FindRowOrder(WithRows(wanted, {2, 0, 3, 1}, 1e-4F), wanted, 1e-3),
              Optional(ElementsAre(1, 3, 0, 2)));
}

TEST(RowOrder, NoneWhereOneRowIsAnother) {
  const Tensor wanted = RandomFloats({4, 5}, 1);
  EXPECT_EQ(FindRowOrder(wanted, wanted, 1e-3), std::nullopt);
  EXPECT_EQ(FindRowOrder(WithRows(wanted, {2, 0, 3, 3}), wanted, 1e-3), std::nullopt);
  EXPECT_EQ(FindRowOrder(RandomFloats({4, 5}, 2), wanted, 1e-3), std::nullopt);
  // Of single numbers any order is one.
  EXPECT_EQ(
      FindRowOrder(WithRows(RandomFloats({4, 1}, 3), {1, 0, 2, 3}), RandomFloats({4, 1}, 3), 1e-3),
      std::nullopt);
}

}  // namespace
}  // namespace onnxcmp
