#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest ReduceMean(const Tensor& x) {
  OpTest test("ReduceMean", 18);
  test.Attr("keepdims", 0).Input(x);
  return test;
}

TEST(ReduceMeanTest, AxesAsInputFrom18) {
  OpTest test("ReduceMean", 18);
  test.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 6})).Input(Tensor::Of<int64_t>({1}, {-1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 1}, {1.5, 4.5}));
}

TEST(ReduceMeanTest, AxesAsAttributeBefore18) {
  OpTest test("ReduceMean", 13);
  test.Attr("axes", std::vector<int64_t>{0}).Attr("keepdims", 0);
  test.Input(Tensor::Of<double>({2, 2}, {1, 2, 3, 6}));
  ExpectTensor(test.Run(), Tensor::Of<double>({2}, {2, 4}));
}

TEST(ReduceMeanTest, IntegersAreExactAndTruncated) {
  ExpectTensor(ReduceMean(Tensor::Of<int32_t>({2}, {-3, -4})).Run(), Tensor::Scalar<int32_t>(-3));
  // The sums do not fit into 64 bits.
  ExpectTensor(ReduceMean(Tensor::Of<int64_t>({2}, {INT64_MAX, INT64_MAX - 2})).Run(),
               Tensor::Scalar<int64_t>(INT64_MAX - 1));
  ExpectTensor(ReduceMean(Tensor::Of<int64_t>({3}, {INT64_MIN, INT64_MIN, INT64_MIN + 3})).Run(),
               Tensor::Scalar<int64_t>(INT64_MIN + 1));
  ExpectTensor(ReduceMean(Tensor::Of<uint64_t>({2}, {UINT64_MAX, UINT64_MAX})).Run(),
               Tensor::Scalar<uint64_t>(UINT64_MAX));
}

TEST(ReduceMeanTest, OfNothing) {
  ExpectTensor(ReduceMean(Tensor::Of<float>({0}, {})).Run(), Tensor::Scalar(kNaN));
  ExpectTensor(ReduceMean(Tensor::Of<int32_t>({0}, {})).Run(), Tensor::Scalar<int32_t>(0));
}

// 60000 is representable in float16, the sum 120000 is not.
TEST(ReduceMeanTest, Float16DoesNotOverflow) {
  const Tensor x = Tensor::Of<float>({2}, {60000, 60000});
  ExpectTensor(ReduceMean(Convert(x, DType::kFloat16)).Run(),
               Convert(Tensor::Scalar(60000.0f), DType::kFloat16));
}

}  // namespace
}  // namespace onnxcmp::testing
