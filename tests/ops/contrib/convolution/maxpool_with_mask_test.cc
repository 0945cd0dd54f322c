#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

OpTest MaxpoolWithMask(const Tensor& x, const Tensor& mask, std::vector<int64_t> kernel_shape) {
  OpTest test("MaxpoolWithMask", 1, "com.microsoft");
  test.Attr("kernel_shape", kernel_shape).Input(x).Input(mask);
  return test;
}

Tensor Mask() { return Tensor::Of<int32_t>({1, 1, 3, 4}, {0, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1}); }

// Values: onnxruntime 1.31.
TEST(ContribMaxpoolWithMaskTest, RowsOfAWindowEndAtTheMask) {
  ExpectTensor(MaxpoolWithMask(Iota({1, 1, 3, 4}), Mask(), {2, 2}).Run(),
               Tensor::Of<float>({1, 1, 2, 3}, {5, 6, 7, 8, 6, 11}));
}

// Values: onnxruntime 1.31.
TEST(ContribMaxpoolWithMaskTest, TheFirstElementOfAnImageIsNeverMasked) {
  ExpectTensor(MaxpoolWithMask(Iota({1, 1, 3, 4}), Mask(), {2, 2})
                   .Attr("strides", std::vector<int64_t>{2, 2})
                   .Attr("pads", std::vector<int64_t>{1, 1, 0, 0})
                   .Run(),
               Tensor::Of<float>({1, 1, 2, 2}, {0, 1, 8, 6}));
}

// Values: onnxruntime 1.31.
TEST(ContribMaxpoolWithMaskTest, OneDimension) {
  const Tensor mask = Tensor::Of<int32_t>({1, 1, 5}, {0, 1, 1, 0, 1});
  ExpectTensor(MaxpoolWithMask(Iota({1, 1, 5}), mask, {2}).Run(),
               Tensor::Of<float>({1, 1, 4}, {kLowest, 2, 2, kLowest}));
}

// Values: onnxruntime 1.31.
TEST(ContribMaxpoolWithMaskTest, AMaskOfTwoPlanesIsReadAsOnnxruntimeDoes) {
  std::vector<int32_t> mask(18, 1);
  mask[5] = mask[9] = 0;
  ExpectTensor(MaxpoolWithMask(Iota({1, 2, 9}), Tensor::Of<int32_t>({1, 2, 9}, mask), {9}).Run(),
               Tensor::Of<float>({1, 2, 1}, {4, 12}));
}

TEST(ContribMaxpoolWithMaskTest, WrongInputs) {
  const Tensor x = Iota({1, 1, 3, 4});
  ExpectError(MaxpoolWithMask(Iota({1, 1, 4, 3}), Mask(), {2, 2}).Run().status(), kInvalid,
              "agree");
  ExpectError(MaxpoolWithMask(x, Tensor::Of<int32_t>({0, 1, 3, 4}, {}), {2, 2}).Run().status(),
              kInvalid, "agree");
  ExpectError(MaxpoolWithMask(x, Mask(), {2, 2}).Attr("auto_pad", "FULL").Run().status(), kInvalid,
              "auto_pad");
  ExpectError(MaxpoolWithMask(x, Mask(), {2}).Run().status(), kInvalid, "kernel");
}

}  // namespace
}  // namespace onnxcmp::testing
