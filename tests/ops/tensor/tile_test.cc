#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's example.
TEST(TileTest, RepeatsAlongEachAxis) {
  for (int opset : {6, 13}) {
    OpTest test("Tile", opset);
    test.Input(AsStridedView(Tensor::Of<int64_t>({2, 2}, {1, 2, 3, 4}))).Input(Ints({1, 2}));
    ExpectTensor(test.Run(), Tensor::Of<int64_t>({2, 4}, {1, 2, 1, 2, 3, 4, 3, 4}));
  }
  OpTest strings("Tile", 13);
  strings.Input(Tensor::Of<std::string>({2, 1}, {"a", "b"})).Input(Ints({2, 2}));
  ExpectTensor(strings.Run(),
               Tensor::Of<std::string>({4, 2}, {"a", "a", "b", "b", "a", "a", "b", "b"}));
}

TEST(TileTest, Version1RepeatsAlongOneAxis) {
  OpTest test("Tile", 1);
  test.Input(Tensor::Of<float>({2, 1}, {1, 2})).Input(Floats({3})).Input(Floats({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 3}, {1, 1, 1, 2, 2, 2}));
  OpTest half("Tile", 1);
  half.Input(Floats({1})).Input(Floats({1.5f})).Input(Floats({0}));
  ExpectError(half.Run().status(), kInvalid, "1.5, no whole number");
}

TEST(TileTest, TakesScalarsAndNothing) {
  OpTest scalar("Tile", 13);
  ExpectTensor(scalar.Input(Tensor::Scalar(3.0f)).Input(Ints({})).Run(), Tensor::Scalar(3.0f));
  OpTest zero("Tile", 13);
  ExpectTensor(zero.Input(Iota({2, 2})).Input(Ints({0, 3})).Run(), Tensor::Of<float>({0, 6}, {}));
  OpTest empty("Tile", 13);
  empty.Input(Tensor::Of<float>({0, 3}, {})).Input(Ints({int64_t{1} << 62, 4}));
  ExpectTensor(empty.Run(), Tensor::Of<float>({0, 12}, {}));
}

TEST(TileTest, RefusesWhatDoesNotFit) {
  OpTest negative("Tile", 13);
  ExpectError(negative.Input(Floats({1})).Input(Ints({-1})).Run().status(), kInvalid,
              "cannot repeat axis 0 of size 1, -1 times");
  OpTest huge("Tile", 13);
  ExpectError(huge.Input(Floats({1, 2})).Input(Ints({INT64_MAX})).Run().status(), kInvalid,
              "cannot repeat");
  OpTest rank("Tile", 13);
  ExpectError(rank.Input(Floats({1})).Input(Ints({1, 1})).Run().status(), kInvalid,
              "2 repeats are given for rank 1");
}

}  // namespace
}  // namespace onnxcmp::testing
