#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden.

OpTest Rotary(const std::vector<int64_t>& sections, int layout, int64_t position) {
  OpTest test("MRotaryEmbedding", 1, "com.microsoft");
  test.Attr("mrope_section", sections).Attr("mrope_layout", layout);
  test.Input(Iota({1, 1, 1, 6})).Input(Tensor::Of<int64_t>({3, 1, 1}, {0, 0, position}));
  test.Input(Iota({2, 3})).Input(Iota({2, 3}));
  return test;
}

TEST(ContribMRotaryEmbeddingTest, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(Rotary({1, 1, 1}, 0, 1).Run().ok());
  ExpectError(Rotary({1, 1, 1}, 0, 2).Run().status(), kInvalid, "position 2 is outside");
  ExpectError(Rotary({1, 1, 1}, 0, -1).Run().status(), kInvalid, "position -1 is outside");
  ExpectError(Rotary({1, 1, 2}, 0, 0).Run().status(), kInvalid, "are not 3 pairs in all");
  ExpectError(Rotary({1, 2}, 0, 0).Run().status(), kInvalid, "mrope_section is not three sizes");
  ExpectError(Rotary({-1, 2, 2}, 0, 0).Run().status(), kInvalid, "not three sizes");
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  ExpectError(Rotary({kHuge, kHuge, 5}, 1, 0).Run().status(), kInvalid, "not 3 pairs");
  ExpectError(Rotary({1, 1, 1}, 2, 0).Run().status(), kInvalid, "mrope_layout 2");
}

TEST(ContribMRotaryEmbeddingTest, ThreeDimensionsNeedHeads) {
  OpTest test("MRotaryEmbedding", 1, "com.microsoft");
  test.Attr("mrope_section", std::vector<int64_t>{1, 0, 0});
  test.Input(Iota({1, 1, 2})).Input(Tensor::Of<int64_t>({3, 1, 1}, {0, 0, 0}));
  test.Input(Iota({2, 1})).Input(Iota({2, 1}));
  ExpectError(test.Run().status(), kInvalid, "0 heads (num_heads)");
}

}  // namespace
}  // namespace onnxcmp::testing
