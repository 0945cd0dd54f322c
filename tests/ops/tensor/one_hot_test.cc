#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest OneHot(Tensor indices, Tensor depth, Tensor values) {
  OpTest test("OneHot", 11);
  test.Input(std::move(indices)).Input(std::move(depth)).Input(std::move(values));
  return test;
}

TEST(OneHotTest, PutsInAnAxis) {
  const Tensor values = Floats({2, 5});
  const Tensor indices = Ints({0, -1, 3, -4});
  ExpectTensor(OneHot(indices, Tensor::Scalar<int64_t>(3), values).Run(),
               Tensor::Of<float>({4, 3}, {5, 2, 2, 2, 2, 5, 2, 2, 2, 2, 2, 2}));
  for (int64_t axis : {0, -2}) {
    ExpectTensor(OneHot(indices, Ints({3}), values).Attr("axis", axis).Run(),
                 Tensor::Of<float>({3, 4}, {5, 2, 2, 2, 2, 2, 2, 2, 2, 5, 2, 2}));
  }
  ExpectTensor(
      OneHot(Tensor::Scalar<int32_t>(1), Ints({2}), Tensor::Of<std::string>({2}, {"off", "on"}))
          .Run(),
      Tensor::Of<std::string>({2}, {"off", "on"}));
}

TEST(OneHotTest, TruncatesFloats) {
  ExpectTensor(OneHot(Floats({1.9f, -0.9f, kNaN, kInf}), Tensor::Scalar(2.5f), Ints({0, 1})).Run(),
               Tensor::Of<int64_t>({4, 2}, {0, 1, 1, 0, 0, 0, 0, 0}));
}

TEST(OneHotTest, LargeUnsignedIndicesAreOutOfRange) {
  ExpectTensor(OneHot(Tensor::Of<uint64_t>({2}, {UINT64_MAX, 1}), Ints({2}), Ints({0, 1})).Run(),
               Tensor::Of<int64_t>({2, 2}, {0, 0, 0, 1}));
}

TEST(OneHotTest, TakesNoIndicesAndNoDepth) {
  ExpectTensor(OneHot(Ints({}), Ints({3}), Floats({0, 1})).Run(), Tensor::Of<float>({0, 3}, {}));
  ExpectTensor(OneHot(Ints({1}), Ints({0}), Floats({0, 1})).Run(), Tensor::Of<float>({1, 0}, {}));
}

TEST(OneHotTest, RefusesWhatDoesNotFit) {
  ExpectError(OneHot(Ints({1}), Ints({-1}), Floats({0, 1})).Run().status(), kInvalid, "depth");
  ExpectError(OneHot(Ints({1}), Ints({1, 2}), Floats({0, 1})).Run().status(), kInvalid, "depth");
  ExpectError(OneHot(Ints({1}), Ints({2}), Floats({0})).Run().status(), kInvalid, "off and an on");
  ExpectError(OneHot(Ints({1}), Ints({2}), Floats({0, 1})).Attr("axis", 2).Run().status(), kInvalid,
              "axis 2 is out of range");
}

}  // namespace
}  // namespace onnxcmp::testing
