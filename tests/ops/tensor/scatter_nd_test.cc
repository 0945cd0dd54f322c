#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's first example.
TEST(ScatterNDTest, WritesElements) {
  for (int opset : {11, 13, 16, 18}) {
    OpTest test("ScatterND", opset);
    test.Input(Ints({1, 2, 3, 4, 5, 6, 7, 8}));
    test.Input(Tensor::Of<int64_t>({4, 1}, {4, 3, 1, -1})).Input(Ints({9, 10, 11, 12}));
    ExpectTensor(test.Run(), Ints({1, 11, 3, 10, 9, 6, 7, 12}));
  }
}

TEST(ScatterNDTest, ReducesSlices) {
  OpTest test("ScatterND", 18);
  test.Attr("reduction", "add").Input(AsStridedView(Iota({2, 3})));
  test.Input(Tensor::Of<int64_t>({3, 1}, {1, 0, 1}));
  test.Input(Tensor::Of<float>({3, 3}, {10, 20, 30, 1, 1, 1, 100, 200, 300}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 3}, {1, 2, 3, 113, 224, 335}));
}

TEST(ScatterNDTest, TakesStringsAndNoUpdates) {
  OpTest strings("ScatterND", 13);
  strings.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  strings.Input(Tensor::Of<int64_t>({1, 2}, {1, 0})).Input(Tensor::Of<std::string>({1}, {"x"}));
  ExpectTensor(strings.Run(), Tensor::Of<std::string>({2, 2}, {"a", "b", "x", "d"}));
  OpTest none("ScatterND", 13);
  none.Input(Floats({1})).Input(Tensor::Of<int64_t>({0, 1}, {})).Input(Floats({}));
  ExpectTensor(none.Run(), Floats({1}));
}

TEST(ScatterNDTest, RefusesWhatDoesNotFit) {
  OpTest out("ScatterND", 13);
  out.Input(Iota({2, 2})).Input(Tensor::Of<int64_t>({1, 2}, {0, INT64_MIN})).Input(Floats({1}));
  ExpectError(out.Run().status(), kInvalid, "is out of range for axis 1 of size 2");
  OpTest tuple("ScatterND", 13);
  tuple.Input(Floats({1})).Input(Tensor::Of<int64_t>({1, 2}, {0, 0})).Input(Floats({1}));
  ExpectError(tuple.Run().status(), kInvalid, "the last dimension of indices is");
  OpTest shape("ScatterND", 13);
  shape.Input(Iota({2, 2})).Input(Tensor::Of<int64_t>({1, 1}, {0})).Input(Floats({1}));
  ExpectError(shape.Run().status(), kInvalid, "updates have shape [1], not [1x2]");
}

}  // namespace
}  // namespace onnxcmp::testing
