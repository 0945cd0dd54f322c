#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(ClipTest, AttributesBeforeOpset11) {
  const Tensor x = Tensor::Of<float>({4}, {-INFINITY, 0.5f, INFINITY, NAN});
  ExpectTensor(OpTest("Clip", 6).Attr("min", -1.0f).Attr("max", 2.0f).Input(x).Run(),
               Tensor::Of<float>({4}, {-1, 0.5f, 2, NAN}));
  constexpr float kMax = std::numeric_limits<float>::max();
  ExpectTensor(OpTest("Clip", 6).Input(x).Run(), Tensor::Of<float>({4}, {-kMax, 0.5f, kMax, NAN}));
  ExpectTensor(OpTest("Clip", 1).Input(x).Run(), x);
}

TEST(ClipTest, BoundsAreOptionalInputs) {
  const Tensor x = Tensor::Of<int64_t>({3}, {-5, 0, (int64_t{1} << 53) + 1});
  const Tensor least = Tensor::Scalar<int64_t>(-1);
  const Tensor greatest = Tensor::Scalar<int64_t>(int64_t{1} << 53);
  ExpectTensor(OpTest("Clip", 12).Input(x).Input(least).Input(greatest).Run(),
               Tensor::Of<int64_t>({3}, {-1, 0, int64_t{1} << 53}));
  ExpectTensor(OpTest("Clip", 13).Input(x).Input(least).Run(),
               Tensor::Of<int64_t>({3}, {-1, 0, (int64_t{1} << 53) + 1}));
  ExpectTensor(OpTest("Clip", 13).Input(x).NoInput().Input(greatest).Run(),
               Tensor::Of<int64_t>({3}, {-5, 0, int64_t{1} << 53}));
  ExpectTensor(OpTest("Clip", 13).Input(x).Run(), x);
}

TEST(ClipTest, MaxWinsOverMin) {
  ExpectTensor(OpTest("Clip", 13)
                   .Input(Tensor::Of<float>({2}, {-5, 5}))
                   .Input(Tensor::Scalar<float>(2))
                   .Input(Tensor::Scalar<float>(1))
                   .Run(),
               Tensor::Of<float>({2}, {1, 1}));
}

TEST(ClipTest, BoundsHaveOneElement) {
  ExpectError(OpTest("Clip", 13)
                  .Input(Tensor::Of<float>({2}, {-5, 5}))
                  .Input(Tensor::Of<float>({2}, {1, 2}))
                  .Run()
                  .status(),
              kInvalid, "min has 2 elements, not 1");
}

}  // namespace
}  // namespace onnxcmp
