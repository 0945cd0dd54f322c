#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Window(const char* op, DType dtype, int periodic, int64_t size) {
  OpTest test(op, 17);
  test.Attr("periodic", periodic).Attr("output_datatype", static_cast<int64_t>(dtype));
  test.Input(Tensor::Scalar<int64_t>(size));
  return test;
}

// By hand: cos of 0, 60, 120, 180, ... degrees.
TEST(CosineWindowsTest, Values) {
  ExpectTensor(Window("HannWindow", DType::kDouble, 1, 6).Run(),
               Tensor::Of<double>({6}, {0, 0.25, 0.75, 1, 0.75, 0.25}), 0, 1e-15);
  ExpectTensor(Window("HannWindow", DType::kDouble, 0, 3).Run(), Tensor::Of<double>({3}, {0, 1, 0}),
               0, 1e-15);
  ExpectTensor(Window("HammingWindow", DType::kDouble, 1, 2).Run(),
               Tensor::Of<double>({2}, {4.0 / 46, 1}), 0, 1e-15);
  ExpectTensor(Window("BlackmanWindow", DType::kDouble, 1, 4).Run(),
               Tensor::Of<double>({4}, {0, 0.34, 1, 0.34}), 0, 1e-15);
}

// As onnxruntime and ONNX's evaluator: the middle is 1, not something less that truncates to 0.
TEST(CosineWindowsTest, Integers) {
  ExpectTensor(Window("BlackmanWindow", DType::kInt32, 0, 5).Run(),
               Tensor::Of<int32_t>({5}, {0, 0, 1, 0, 0}));
  ExpectTensor(Window("BlackmanWindow", DType::kUint8, 1, 10).Run(),
               Tensor::Of<uint8_t>({10}, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST(CosineWindowsTest, NoElementsAndLess) {
  ExpectTensor(Window("HannWindow", DType::kFloat, 1, 0).Run(), Floats({}));
  ExpectError(Window("HannWindow", DType::kFloat, 1, -1).Run().status(), kInvalid, "-1 elements");
  ExpectError(Window("HannWindow", DType::kString, 1, 4).Run().status(), kInvalid, "names no type");
}

}  // namespace
}  // namespace onnxcmp::testing
