#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest ReduceMax(int opset, const Tensor& x) {
  OpTest test("ReduceMax", opset);
  test.Attr("keepdims", 0).Input(x);
  return test;
}

TEST(ReduceMaxTest, AxesAsInputFrom18) {
  OpTest test = ReduceMax(18, Tensor::Of<float>({2, 2}, {-3, -1, -2, -4}));
  test.Input(Tensor::Of<int64_t>({1}, {1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2}, {-1, -2}));
}

TEST(ReduceMaxTest, AxesAsAttributeBefore18) {
  OpTest test = ReduceMax(13, Tensor::Of<float>({2, 2}, {-3, -1, -2, -4}));
  test.Attr("axes", std::vector<int64_t>{0});
  ExpectTensor(test.Run(), Tensor::Of<float>({2}, {-2, -1}));
}

TEST(ReduceMaxTest, Integers) {
  ExpectTensor(ReduceMax(20, Tensor::Of<int8_t>({3}, {-128, -3, -7})).Run(),
               Tensor::Scalar<int8_t>(-3));
  ExpectTensor(ReduceMax(20, Tensor::Of<uint8_t>({3}, {1, 255, 7})).Run(),
               Tensor::Scalar<uint8_t>(255));
  ExpectTensor(ReduceMax(20, Tensor::Of<int64_t>({2}, {(int64_t{1} << 60) + 1, 1})).Run(),
               Tensor::Scalar<int64_t>((int64_t{1} << 60) + 1));
  ExpectTensor(ReduceMax(20, Tensor::Of<uint64_t>({2}, {UINT64_MAX, UINT64_MAX - 1})).Run(),
               Tensor::Scalar<uint64_t>(UINT64_MAX));
}

TEST(ReduceMaxTest, Bool) {
  OpTest test = ReduceMax(20, Tensor::Of<bool>({2, 2}, {false, true, false, false}));
  test.Input(Tensor::Of<int64_t>({1}, {1}));
  ExpectTensor(test.Run(), Tensor::Of<bool>({2}, {true, false}));
}

TEST(ReduceMaxTest, OfNothingIsTheLeastValue) {
  ExpectTensor(ReduceMax(20, Tensor::Of<float>({0}, {})).Run(), Tensor::Scalar(-kInf));
  ExpectTensor(ReduceMax(20, Tensor::Of<int64_t>({0}, {})).Run(), Tensor::Scalar(INT64_MIN));
  ExpectTensor(ReduceMax(20, Tensor::Of<int8_t>({0}, {})).Run(), Tensor::Scalar<int8_t>(-128));
  ExpectTensor(ReduceMax(20, Tensor::Of<uint32_t>({0}, {})).Run(), Tensor::Scalar<uint32_t>(0));
  ExpectTensor(ReduceMax(20, Tensor::Of<bool>({0}, {})).Run(), Tensor::Scalar(false));
}

// At every offset of the vector units, along rows and along columns.
TEST(ReduceMaxTest, NaNWins) {
  for (int64_t length : {1, 5, 32, 40, 70}) {
    for (int64_t at = 0; at < length; ++at) {
      std::vector<float> x(static_cast<size_t>(length), kInf);
      x[static_cast<size_t>(at)] = kNaN;
      const Tensor lane = Tensor::Of<float>({length}, x);
      ExpectTensor(ReduceMax(20, lane).Run(), Tensor::Scalar(kNaN));
      OpTest rows = ReduceMax(20, lane.Strided({length, 5}, {1, 0}, 0).Contiguous().value());
      rows.Input(Tensor::Of<int64_t>({1}, {0}));
      ExpectTensor(rows.Run(), Tensor::Of<float>({5}, std::vector<float>(5, kNaN)));
    }
  }
}

// The other lanes keep their values: those beside it, and those in the same vectors.
TEST(ReduceMaxTest, NaNStaysInItsLane) {
  constexpr int64_t kLanes = 43;
  for (int64_t length : {2, 7, 16, 49, 200, 1100}) {
    for (int64_t at : {int64_t{0}, kLanes / 2, kLanes - 1}) {
      for (DType dtype : {DType::kFloat, DType::kDouble, DType::kFloat16}) {
        Tensor rows = *Tensor::Allocate(DType::kFloat, {kLanes, length});
        float* values = rows.mutable_data<float>();
        for (int64_t i = 0; i < kLanes * length; ++i) values[i] = static_cast<float>(i % 7);
        for (int64_t i = 0; i < kLanes; ++i) values[i * length + length / 2] = 8 + i;
        values[at * length + length - 1] = kNaN;
        std::vector<float> expected;
        for (int64_t i = 0; i < kLanes; ++i) expected.push_back(i == at ? kNaN : 8 + i);
        const Tensor want = Convert(Tensor::Of<float>({kLanes}, expected), dtype);
        OpTest along = ReduceMax(20, Convert(rows, dtype));
        ExpectTensor(along.Input(Tensor::Of<int64_t>({1}, {1})).Run(), want);
        const Tensor columns = *rows.Strided({length, kLanes}, {1, length}, 0).Contiguous();
        OpTest across = ReduceMax(20, Convert(columns, dtype));
        ExpectTensor(across.Input(Tensor::Of<int64_t>({1}, {0})).Run(), want);
      }
    }
  }
}

// Zeros of both signs are equal, so the order decides which one is taken: it is the same however
// the lanes lie.
TEST(ReduceMaxTest, SameZeroHoweverTheLaneLies) {
  constexpr int64_t kLanes = 75;
  for (int64_t length : {2, 3, 16, 49, 1100}) {
    Tensor rows = *Tensor::Allocate(DType::kFloat, {kLanes, length});
    for (int64_t i = 0; i < kLanes * length; ++i) {
      rows.mutable_data<float>()[i] = i * 2654435761 % 5 < 2 ? 0.0f : -0.0f;
    }
    const Tensor columns = *rows.Strided({length, kLanes}, {1, length}, 0).Contiguous();
    OpTest along = ReduceMax(20, rows);
    OpTest across = ReduceMax(20, columns);
    ExpectSameBits(across.Input(Tensor::Of<int64_t>({1}, {0})).Run(),
                   *along.Input(Tensor::Of<int64_t>({1}, {1})).Run());
  }
}

TEST(ReduceMaxTest, NarrowFloats) {
  const Tensor x = Tensor::Of<float>({3}, {0.5f, -kInf, 2.0f});
  ExpectTensor(ReduceMax(20, Convert(x, DType::kBfloat16)).Run(),
               Convert(Tensor::Scalar(2.0f), DType::kBfloat16));
}

}  // namespace
}  // namespace onnxcmp::testing
