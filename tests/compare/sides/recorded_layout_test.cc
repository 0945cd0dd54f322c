#include "compare/sides/recorded_layout.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectSameBits;

TEST(RecordedLayout, AxesThenShapeThenRows) {
  const Tensor recorded = Tensor::Of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const auto turned = InLayout(recorded, {{0, 2, 1}, {}, {3, 2}});
  ASSERT_TRUE(turned.ok()) << turned.status();
  ExpectSameBits(turned->tensor(), Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  const auto sorted = InLayout(recorded, {{0, 2, 1}, {2, 0, 1}, {3, 2}});
  ASSERT_TRUE(sorted.ok()) << sorted.status();
  ExpectSameBits(sorted->tensor(), Tensor::Of<float>({3, 2}, {3, 6, 1, 4, 2, 5}));
}

TEST(RecordedLayout, BlocksOfChannelsAndBack) {
  std::vector<float> elements;
  for (int i = 0; i < 3 * 2; ++i) elements.push_back(static_cast<float>(i + 1));
  const Tensor plain = Tensor::Of<float>({1, 3, 1, 2}, elements);
  const auto blocked = InLayout(plain, {{}, {}, {1, 4, 1, 2}, -2});
  ASSERT_TRUE(blocked.ok()) << blocked.status();
  ExpectSameBits(blocked->tensor(), Tensor::Of<float>({1, 4, 1, 2}, {1, 3, 2, 4, 5, 0, 6, 0}));
  const auto back = InLayout(*blocked, {{}, {}, {1, 3, 1, 2}, 2});
  ASSERT_TRUE(back.ok()) << back.status();
  ExpectSameBits(back->tensor(), plain);
  EXPECT_FALSE(InLayout(plain, {{}, {}, {1, 3, 1, 2}, 2}).ok());
  EXPECT_FALSE(InLayout(plain, {{}, {}, {1, 6, 1}, -2}).ok());
}

TEST(RecordedLayout, WhatDoesNotFit) {
  const Tensor recorded = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_FALSE(InLayout(recorded, {{0, 0}, {}, {2, 2}}).ok());
  EXPECT_FALSE(InLayout(recorded, {{0}, {}, {2, 2}}).ok());
  EXPECT_FALSE(InLayout(recorded, {{}, {}, {5}}).ok());
  EXPECT_FALSE(InLayout(recorded, {{}, {0, 2}, {2, 2}}).ok());
  EXPECT_FALSE(InLayout(recorded, {{}, {0}, {2, 2}}).ok());
}

}  // namespace
}  // namespace onnxcmp
