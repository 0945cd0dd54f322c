#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ReduceSumTest, InnerAxisKeepsTheDimension) {
  OpTest test("ReduceSum", 13);
  test.Input(Iota({2, 3})).Input(Ints({-1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 1}, {3, 12}));
}

TEST(ReduceSumTest, OuterAxisWithoutKeepdims) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Iota({2, 5})).Input(Ints({0}));
  ExpectTensor(test.Run(), Tensor::Of<float>({5}, {5, 7, 9, 11, 13}));
}

TEST(ReduceSumTest, OuterAndInnerAxes) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Iota({2, 3, 2})).Input(Ints({2, 0}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3}, {0 + 1 + 6 + 7, 2 + 3 + 8 + 9, 4 + 5 + 10 + 11}));
}

TEST(ReduceSumTest, MiddleAxis) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Iota({2, 3, 4})).Input(Ints({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 4}, {12, 15, 18, 21, 48, 51, 54, 57}));
}

TEST(ReduceSumTest, AllAxesByDefault) {
  OpTest test("ReduceSum", 13);
  test.Input(Iota({2, 3}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1}, {15}));
}

TEST(ReduceSumTest, AxesAsAttributeBefore13) {
  OpTest test("ReduceSum", 11);
  test.Attr("axes", std::vector<int64_t>{-2}).Attr("keepdims", 0).Input(Iota({2, 3}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3}, {3, 5, 7}));
}

TEST(ReduceSumTest, EmptyAxesMayMeanNothingToDo) {
  OpTest test("ReduceSum", 13);
  test.Attr("noop_with_empty_axes", 1).Input(Iota({2, 2})).Input(Ints({}));
  ExpectTensor(test.Run(), Iota({2, 2}));
}

TEST(ReduceSumTest, Scalar) {
  OpTest test("ReduceSum", 13);
  test.Input(Tensor::Scalar(3.0f));
  ExpectTensor(test.Run(), Tensor::Scalar(3.0f));
}

TEST(ReduceSumTest, OfNothingIsZero) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Tensor::Of<float>({2, 0, 2}, {})).Input(Ints({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
}

TEST(ReduceSumTest, EmptyResult) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Tensor::Of<float>({0, 2}, {})).Input(Ints({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({0}, {}));
}

TEST(ReduceSumTest, NaNAndInfinity) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0)
      .Input(Tensor::Of<float>({3, 2}, {1, kNaN, kInf, 2, kInf, -kInf}))
      .Input(Ints({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({3}, {kNaN, kInf, kNaN}));
}

TEST(ReduceSumTest, Int64BeyondTheMantissaOfDouble) {
  const int64_t big = (int64_t{1} << 53) + 1;
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Tensor::Of<int64_t>({3}, {big, 1, -3})).Input(Ints({0}));
  ExpectTensor(test.Run(), Tensor::Scalar<int64_t>(big - 2));
}

TEST(ReduceSumTest, IntegersWrap) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Tensor::Of<int64_t>({2}, {INT64_MAX, 2}));
  ExpectTensor(test.Run(), Tensor::Scalar<int64_t>(INT64_MIN + 1));
  OpTest narrow("ReduceSum", 13);
  narrow.Attr("keepdims", 0).Input(Tensor::Of<int32_t>({2}, {INT32_MIN, -1}));
  ExpectTensor(narrow.Run(), Tensor::Scalar<int32_t>(INT32_MAX));
  OpTest unsigned64("ReduceSum", 13);
  unsigned64.Attr("keepdims", 0).Input(Tensor::Of<uint64_t>({2}, {UINT64_MAX, 3}));
  ExpectTensor(unsigned64.Run(), Tensor::Scalar<uint64_t>(2));
}

// 2048 ones are 2048 in float16; a sum in float16 would stop growing at 2048 of 4096.
TEST(ReduceSumTest, Float16IsSummedInFloat) {
  OpTest test("ReduceSum", 13);
  Tensor ones = Tensor::Of<float>({4096}, std::vector<float>(4096, 1.0f));
  test.Attr("keepdims", 0).Input(Convert(ones, DType::kFloat16));
  ExpectTensor(test.Run(), Convert(Tensor::Scalar(4096.0f), DType::kFloat16));
}

TEST(ReduceSumTest, LongSumsStayExact) {
  // 2^24 + 1 ones: one accumulator in float would stick at 2^24.
  const int64_t count = (int64_t{1} << 24) + 2;
  Tensor one = Tensor::Of<float>({1}, {1.0f});
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(one.Strided({count}, {0}, 0));
  ExpectTensor(test.Run(), Tensor::Scalar(static_cast<float>(count)));
}

TEST(ReduceSumTest, Double) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(Tensor::Of<double>({2}, {1e-9, 1.0}));
  ExpectTensor(test.Run(), Tensor::Scalar(1.0 + 1e-9));
}

TEST(ReduceSumTest, StridedView) {
  OpTest test("ReduceSum", 13);
  test.Attr("keepdims", 0).Input(AsStridedView(Iota({2, 3, 2}))).Input(Ints({1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {6, 9, 24, 27}));
}

// The bits of a lane's sum depend on its elements alone: not on whether they are neighbours in
// memory or rows apart, which lanes are computed with them, or how many threads there are.
TEST(ReduceSumTest, SameBitsHoweverTheLaneLies) {
  for (int64_t length : {3, 16, 31, 33, 49, 127, 130, 257, 1024, 1029, 5000}) {
    const int64_t lanes = length < 1000 ? 281 : 133;
    Tensor rows = RandomFloats({lanes, length}, 1);
    Tensor columns = *Tensor::Allocate(DType::kFloat, {length, lanes});
    for (int64_t i = 0; i < lanes; ++i) {
      for (int64_t k = 0; k < length; ++k) {
        columns.mutable_data<float>()[k * lanes + i] = rows.data<float>()[i * length + k];
      }
    }
    OpTest inner("ReduceSum", 13);
    inner.Attr("keepdims", 0).Input(rows).Input(Ints({1})).Threads(1);
    const Tensor want = *inner.Run();
    OpTest outer("ReduceSum", 13);
    outer.Attr("keepdims", 0).Input(columns).Input(Ints({0})).Threads(2);
    ExpectSameBits(outer.Run(), want);
    OpTest strided("ReduceSum", 13);
    strided.Attr("keepdims", 0)
        .Input(columns.Strided({lanes, length}, {1, lanes}, 0))
        .Input(Ints({1}));
    ExpectSameBits(strided.Run(), want);
    OpTest pieces("ReduceSum", 13);  // a lane of two axes, gathered from runs
    pieces.Attr("keepdims", 0)
        .Input(rows.Strided({length, lanes, 1}, {1, length, 1}, 0))
        .Input(Ints({0, 2}));
    ExpectSameBits(pieces.Run(), want);
  }
}

TEST(ReduceSumTest, BadAxes) {
  for (int64_t axis : {int64_t{2}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    OpTest test("ReduceSum", 13);
    test.Input(Iota({2, 2})).Input(Ints({axis}));
    ExpectError(test.Run().status(), kInvalid, "out of range for rank 2");
  }
  OpTest twice("ReduceSum", 13);
  twice.Input(Iota({2, 2})).Input(Ints({1, -1}));
  ExpectError(twice.Run().status(), kInvalid, "given twice");
}

}  // namespace
}  // namespace onnxcmp::testing
