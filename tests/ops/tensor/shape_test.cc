#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Cube() { return RandomFloats({2, 3, 4}, 1); }

TEST(ShapeTest, TellsTheDimensions) {
  for (int opset : {1, 13, 15, 25}) {
    ExpectTensor(OpTest("Shape", opset).Input(Cube()).Run(), Ints({2, 3, 4}));
  }
  ExpectTensor(OpTest("Shape", 13).Input(Tensor::Scalar<std::string>("a")).Run(), Ints({}));
  ExpectTensor(OpTest("Shape", 13).Input(Tensor::Of<float>({0, 5}, {})).Run(), Ints({0, 5}));
}

TEST(ShapeTest, TellsSomeOfThem) {
  auto run = [](int64_t start, int64_t end) {
    return OpTest("Shape", 15).Attr("start", start).Attr("end", end).Input(Cube()).Run();
  };
  ExpectTensor(OpTest("Shape", 15).Attr("start", -1).Input(Cube()).Run(), Ints({4}));
  ExpectTensor(OpTest("Shape", 15).Attr("end", -1).Input(Cube()).Run(), Ints({2, 3}));
  ExpectTensor(run(1, 2), Ints({3}));
  ExpectTensor(run(2, 1), Ints({}));
  ExpectTensor(run(INT64_MIN, INT64_MAX), Ints({2, 3, 4}));
  ExpectTensor(run(INT64_MAX, INT64_MIN), Ints({}));
}

}  // namespace
}  // namespace onnxcmp::testing
