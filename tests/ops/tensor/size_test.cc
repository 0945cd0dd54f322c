#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(SizeTest, CountsElements) {
  for (int opset : {1, 13, 25}) {
    OpTest test("Size", opset);
    ExpectTensor(test.Input(Iota({2, 3})).Run(), Tensor::Scalar<int64_t>(6));
  }
  OpTest scalar("Size", 21);
  ExpectTensor(scalar.Input(Tensor::Scalar(std::string("x"))).Run(), Tensor::Scalar<int64_t>(1));
  OpTest empty("Size", 21);
  ExpectTensor(empty.Input(Convert(Tensor::Of<float>({3, 0}, {}), DType::kInt4)).Run(),
               Tensor::Scalar<int64_t>(0));
}

}  // namespace
}  // namespace onnxcmp::testing
