#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Unfold(const Tensor& x, int64_t dim, int64_t size, int64_t step) {
  OpTest test("UnfoldTensor", 1, "com.microsoft");
  test.Attr("dim", dim).Attr("size", size).Attr("step", step).Input(x);
  return test;
}

// Values: NumPy's sliding_window_view.
TEST(ContribUnfoldTensorTest, WindowsAlongAnyAxis) {
  ExpectTensor(Unfold(Iota({5}), -1, 3, 2).Run(), Tensor::Of<float>({2, 3}, {0, 1, 2, 2, 3, 4}));
  ExpectTensor(Unfold(Iota({3, 2}), 0, 2, 1).Run(),
               Tensor::Of<float>({2, 2, 2}, {0, 2, 1, 3, 2, 4, 3, 5}));
  ExpectTensor(Unfold(Tensor::Of<std::string>({2}, {"a", "b"}), 0, 2, INT64_MAX).Run(),
               Tensor::Of<std::string>({1, 2}, {"a", "b"}));
}

TEST(ContribUnfoldTensorTest, WrongAttributes) {
  ExpectError(Unfold(Iota({2}), 1, 1, 1).Run().status(), kInvalid, "axis 1");
  ExpectError(Unfold(Iota({2}), 0, 3, 1).Run().status(), kInvalid, "does not fit");
  ExpectError(Unfold(Iota({2}), 0, 1, 0).Run().status(), kInvalid, "step");
  ExpectError(Unfold(Iota({2}), 0, 0, 1).Run().status(), kInvalid, "size");
}

}  // namespace
}  // namespace onnxcmp::testing
