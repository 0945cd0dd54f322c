#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(AddTest, FloatsAndDoubles) {
  ExpectTensor(OpTest("Add", 14)
                   .Input(Tensor::Of<float>({3}, {1, NAN, INFINITY}))
                   .Input(Tensor::Of<float>({}, {0.5f}))
                   .Run(),
               Tensor::Of<float>({3}, {1.5f, NAN, INFINITY}));
  ExpectTensor(OpTest("Add", 14)
                   .Input(Tensor::Scalar<double>(1))
                   .Input(Tensor::Scalar<double>(0x1p-52))
                   .Run(),
               Tensor::Scalar<double>(1 + 0x1p-52));
}

TEST(AddTest, IntegersWrapAround) {
  ExpectTensor(OpTest("Add", 14)
                   .Input(Tensor::Of<int8_t>({2}, {127, -128}))
                   .Input(Tensor::Of<int8_t>({2}, {1, -1}))
                   .Run(),
               Tensor::Of<int8_t>({2}, {-128, 127}));
  ExpectTensor(OpTest("Add", 14)
                   .Input(Tensor::Of<uint8_t>({1}, {200}))
                   .Input(Tensor::Of<uint8_t>({1}, {100}))
                   .Run(),
               Tensor::Of<uint8_t>({1}, {44}));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectTensor(
      OpTest("Add", 14)
          .Input(Tensor::Of<int64_t>({2}, {kMax, int64_t{1} << 53}))
          .Input(Tensor::Of<int64_t>({2}, {1, 1}))
          .Run(),
      Tensor::Of<int64_t>({2}, {std::numeric_limits<int64_t>::min(), (int64_t{1} << 53) + 1}));
}

// Shapes and axes are those of the documentation of Add-6.
TEST(AddTest, BroadcastAttributesBeforeOpset7) {
  const std::vector<Shape> shapes = {{}, {1, 1}, {5}, {4, 5}};
  const Tensor a = RandomFloats({2, 3, 4, 5}, 1);
  for (int opset : {1, 6}) {
    for (const Shape& shape : shapes) {
      const Tensor b = RandomFloats(shape, 2);
      absl::StatusOr<Tensor> want = OpTest("Add", 7).Input(a).Input(b).Run();
      ASSERT_TRUE(want.ok()) << want.status();
      ExpectTensor(OpTest("Add", opset).Attr("broadcast", 1).Input(a).Input(b).Run(), *want);
    }
    const Tensor b = RandomFloats({3, 4}, 3);
    absl::StatusOr<Tensor> want = OpTest("Add", 7).Input(a).Input(b.Reshaped({3, 4, 1})).Run();
    ASSERT_TRUE(want.ok()) << want.status();
    ExpectTensor(OpTest("Add", opset).Attr("broadcast", 1).Attr("axis", 1).Input(a).Input(b).Run(),
                 *want);
    ExpectTensor(OpTest("Add", opset).Attr("broadcast", 1).Attr("axis", -3).Input(a).Input(b).Run(),
                 *want);
    const Tensor c = RandomFloats({2}, 3);
    absl::StatusOr<Tensor> first = OpTest("Add", 7).Input(a).Input(c.Reshaped({2, 1, 1, 1})).Run();
    ASSERT_TRUE(first.ok()) << first.status();
    ExpectTensor(OpTest("Add", opset).Attr("broadcast", 1).Attr("axis", 0).Input(a).Input(c).Run(),
                 *first);
  }
}

TEST(AddTest, BadBroadcastAttributes) {
  const Tensor a = RandomFloats({2, 3}, 1);
  ExpectError(OpTest("Add", 6).Input(a).Input(RandomFloats({3}, 1)).Run().status(), kInvalid,
              "need the attribute broadcast = 1");
  for (int64_t axis : {int64_t{2}, int64_t{-3}, std::numeric_limits<int64_t>::min(),
                       std::numeric_limits<int64_t>::max()}) {
    ExpectError(OpTest("Add", 6)
                    .Attr("broadcast", 1)
                    .Attr("axis", axis)
                    .Input(a)
                    .Input(RandomFloats({3}, 1))
                    .Run()
                    .status(),
                kInvalid, "does not place a shape [3] inside [2x3]");
  }
  ExpectError(
      OpTest("Add", 6).Attr("broadcast", 1).Input(a).Input(RandomFloats({2}, 1)).Run().status(),
      kInvalid, "does not broadcast");
  ExpectError(OpTest("Add", 6)
                  .Attr("broadcast", 1)
                  .Input(a)
                  .Input(RandomFloats({1, 2, 3}, 1))
                  .Run()
                  .status(),
              kInvalid, "does not place a shape");
}

TEST(AddTest, ConsumedInputsOfOpset1MeanNothing) {
  const Tensor one = Tensor::Scalar<float>(1);
  ExpectTensor(OpTest("Add", 1)
                   .Attr("consumed_inputs", std::vector<int64_t>{0, 0})
                   .Input(one)
                   .Input(one)
                   .Run(),
               Tensor::Scalar<float>(2));
}

}  // namespace
}  // namespace onnxcmp::testing
