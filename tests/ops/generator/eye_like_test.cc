#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(EyeLikeTest, FillsADiagonal) {
  for (int opset : {9, 22}) {
    OpTest test("EyeLike", opset);
    test.Attr("k", 1).Input(Iota({2, 3}));
    ExpectTensor(test.Run(), Tensor::Of<float>({2, 3}, {0, 1, 0, 0, 0, 1}));
  }
  OpTest below("EyeLike", 22);
  below.Attr("k", -1).Attr("dtype", static_cast<int64_t>(DType::kFloat16)).Input(Iota({3, 2}));
  ExpectTensor(below.Run(),
               Convert(Tensor::Of<float>({3, 2}, {0, 0, 1, 0, 0, 1}), DType::kFloat16));
  OpTest wide("EyeLike", 22);
  wide.Attr("dtype", static_cast<int64_t>(DType::kBool)).Input(Iota({1, 2}));
  ExpectTensor(wide.Run(), Bools({1, 2}, {1, 0}));
}

TEST(EyeLikeTest, DiagonalsOutsideLeaveZeros) {
  for (int64_t k : {int64_t{2}, int64_t{-2}, INT64_MIN, INT64_MAX}) {
    OpTest test("EyeLike", 22);
    ExpectTensor(test.Attr("k", k).Input(Iota({2, 2})).Run(),
                 Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
    OpTest empty("EyeLike", 22);
    ExpectTensor(empty.Attr("k", k).Input(Iota({0, 2})).Run(), Iota({0, 2}));
  }
}

TEST(EyeLikeTest, RefusesOtherRanksAndTypes) {
  OpTest vector("EyeLike", 22);
  ExpectError(vector.Input(Floats({1})).Run().status(), kInvalid, "rank 1, not 2");
  OpTest text("EyeLike", 22);
  text.Attr("dtype", static_cast<int64_t>(DType::kString)).Input(Iota({1, 1}));
  ExpectError(text.Run().status(), kInvalid, "names no type that EyeLike produces");
}

}  // namespace
}  // namespace onnxcmp::testing
