#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectSameBits;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(ModTest, SignOfTheDivisor) {
  ExpectTensor(OpTest("Mod", 10)
                   .Input(Tensor::Of<int32_t>({6}, {-4, 7, 5, 4, -7, 8}))
                   .Input(Tensor::Of<int32_t>({6}, {2, -3, 8, -2, 3, 5}))
                   .Run(),
               Tensor::Of<int32_t>({6}, {0, -2, 5, 0, 2, 3}));
  ExpectTensor(OpTest("Mod", 13)
                   .Input(Tensor::Of<uint64_t>({2}, {UINT64_MAX, 5}))
                   .Input(Tensor::Of<uint64_t>({}, {10}))
                   .Run(),
               Tensor::Of<uint64_t>({2}, {5, 5}));
}

TEST(ModTest, FmodHasTheSignOfTheDividend) {
  ExpectTensor(OpTest("Mod", 13)
                   .Attr("fmod", 1)
                   .Input(Tensor::Of<int64_t>({3}, {-4, 7, -7}))
                   .Input(Tensor::Of<int64_t>({3}, {3, -3, 3}))
                   .Run(),
               Tensor::Of<int64_t>({3}, {-1, 1, -1}));
  ExpectTensor(OpTest("Mod", 13)
                   .Attr("fmod", 1)
                   .Input(Tensor::Of<float>({5}, {-4.5f, 5, INFINITY, 1, 2}))
                   .Input(Tensor::Of<float>({5}, {2, 0, 2, INFINITY, NAN}))
                   .Run(),
               Tensor::Of<float>({5}, {-0.5f, NAN, NAN, 1, NAN}));
}

TEST(ModTest, WhatDivisionLeavesUndefined) {
  for (int fmod = 0; fmod < 2; ++fmod) {
    ExpectTensor(OpTest("Mod", 13)
                     .Attr("fmod", fmod)
                     .Input(Tensor::Of<int64_t>({2}, {INT64_MIN, 5}))
                     .Input(Tensor::Of<int64_t>({2}, {-1, 0}))
                     .Run(),
                 Tensor::Of<int64_t>({2}, {0, 0}));
  }
}

// The special cases of the text, and numpy.mod.
TEST(ModTest, FloatsHaveTheSignOfTheDivisor) {
  ONNXCMP_NEEDS_OPSET(28);
  const auto mod = [](std::vector<double> a, std::vector<double> b) {
    const auto count = static_cast<int64_t>(a.size());
    return OpTest("Mod", 28)
        .Input(Tensor::Of<double>({count}, a))
        .Input(Tensor::Of<double>({count}, b));
  };
  ExpectSameBits(mod({-4.5, 4.5, -4.5, 4, -4, 0.0, -0.0}, {2, -2, -2, -2, 2, -3, 3}).Run(),
                 Tensor::Of<double>({7}, {1.5, -1.5, -0.5, -0.0, 0.0, -0.0, 0.0}));
  ExpectTensor(mod({5, -5, 5, -5}, {INFINITY, INFINITY, -INFINITY, -INFINITY}).Run(),
               Tensor::Of<double>({4}, {5, INFINITY, -INFINITY, -5}));
  ExpectTensor(mod({INFINITY, 1, NAN, 1, 0}, {2, 0, 1, NAN, -0.0}).Run(),
               Tensor::Of<double>({5}, {NAN, NAN, NAN, NAN, NAN}));
  ExpectSameBits(OpTest("Mod", 28)
                     .Input(testing::Convert(Tensor::Of<float>({2}, {-7, 7}), DType::kBfloat16))
                     .Input(testing::Convert(Tensor::Of<float>({}, {2.5f}), DType::kBfloat16))
                     .Run(),
                 testing::Convert(Tensor::Of<float>({2}, {0.5f, 2}), DType::kBfloat16));
}

TEST(ModTest, FloatsNeedFmod) {
  ExpectError(OpTest("Mod", 13)
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Run()
                  .status(),
              kInvalid, "before opset 28, Mod of floats needs fmod = 1");
}

}  // namespace
}  // namespace onnxcmp
