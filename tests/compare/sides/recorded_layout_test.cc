#include "compare/sides/recorded_layout.h"

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
