// CumSum and CumProd.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

absl::StatusOr<Tensor> Accumulated(const char* name, int exclusive, int reverse, int32_t axis) {
  return OpTest(name, 26)
      .Attr("exclusive", exclusive)
      .Attr("reverse", reverse)
      .Input(Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(Tensor::Scalar<int32_t>(axis))
      .Run();
}

TEST(CumSumTest, EveryDirection) {
  ExpectTensor(Accumulated("CumSum", 0, 0, 1), Tensor::Of<float>({2, 3}, {1, 3, 6, 4, 9, 15}));
  ExpectTensor(Accumulated("CumSum", 1, 0, -1), Tensor::Of<float>({2, 3}, {0, 1, 3, 0, 4, 9}));
  ExpectTensor(Accumulated("CumSum", 0, 1, 1), Tensor::Of<float>({2, 3}, {6, 5, 3, 15, 11, 6}));
  ExpectTensor(Accumulated("CumSum", 1, 1, 0), Tensor::Of<float>({2, 3}, {4, 5, 6, 0, 0, 0}));
}

TEST(CumProdTest, EveryDirection) {
  ExpectTensor(Accumulated("CumProd", 0, 0, 0), Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 10, 18}));
  ExpectTensor(Accumulated("CumProd", 1, 1, 1), Tensor::Of<float>({2, 3}, {6, 3, 1, 30, 6, 1}));
}

TEST(CumSumTest, WrapsAroundAndRoundsOnce) {
  ExpectTensor(OpTest("CumSum", 11)
                   .Input(Tensor::Of<int64_t>({2}, {INT64_MAX, 1}))
                   .Input(Tensor::Scalar<int64_t>(0))
                   .Run(),
               Tensor::Of<int64_t>({2}, {INT64_MAX, INT64_MIN}));
  // 2048 + 1 is 2048 in float16.
  ExpectTensor(OpTest("CumSum", 14)
                   .Input(Convert(Tensor::Of<float>({3}, {2048, 1, 1}), DType::kFloat16))
                   .Input(Tensor::Scalar<int64_t>(0))
                   .Run(),
               Convert(Tensor::Of<float>({3}, {2048, 2048, 2050}), DType::kFloat16));
}

TEST(CumSumTest, NothingAndWrongAxes) {
  ExpectTensor(OpTest("CumSum", 14)
                   .Input(Tensor::Of<float>({2, 0}, {}))
                   .Input(Tensor::Scalar<int64_t>(1))
                   .Run(),
               Tensor::Of<float>({2, 0}, {}));
  ExpectError(Accumulated("CumSum", 0, 0, 2).status(), kInvalid,
              "axis 2 is out of range for rank 2");
}

}  // namespace
}  // namespace onnxcmp
