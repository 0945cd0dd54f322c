#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
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

TEST(ModTest, FloatsNeedFmod) {
  ExpectError(OpTest("Mod", 13)
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Run()
                  .status(),
              kInvalid, "needs fmod = 1");
}

}  // namespace
}  // namespace onnxcmp
