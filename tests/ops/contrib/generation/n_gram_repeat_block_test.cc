#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest NGramRepeatBlock(const Tensor& ids, int64_t ngram_size, int64_t vocabulary) {
  OpTest test("NGramRepeatBlock", 1, "com.microsoft");
  test.Attr("ngram_size", ngram_size).Input(ids).Input(Iota({ids.dim(0), vocabulary}));
  return test;
}

TEST(ContribNGramRepeatBlockTest, WhatWouldCompleteAnNGramIsBlocked) {
  const Tensor ids = Tensor::Of<int64_t>({2, 5}, {1, 2, 3, 1, 2, 0, 0, 0, 1, 2});
  ExpectTensor(NGramRepeatBlock(ids, 3, 4).Run(),
               Tensor::Of<float>({2, 4}, {0, 1, 2, -kInf, 4, 5, 6, 7}));
}

TEST(ContribNGramRepeatBlockTest, SingleTokens) {
  ExpectTensor(NGramRepeatBlock(Tensor::Of<int64_t>({1, 2}, {0, 2}), 1, 3).Run(),
               Tensor::Of<float>({1, 3}, {-kInf, 1, -kInf}));
}

TEST(ContribNGramRepeatBlockTest, ShortSequences) {
  const Tensor ids = Tensor::Of<int64_t>({1, 2}, {0, 0});
  ExpectTensor(NGramRepeatBlock(ids, 3, 2).Run(), Tensor::Of<float>({1, 2}, {0, 1}));
  ExpectTensor(NGramRepeatBlock(ids, INT64_MAX, 2).Run(), Tensor::Of<float>({1, 2}, {0, 1}));
  ExpectTensor(NGramRepeatBlock(Tensor::Of<int64_t>({1, 0}, {}), 1, 2).Run(),
               Tensor::Of<float>({1, 2}, {0, 1}));
}

TEST(ContribNGramRepeatBlockTest, WrongInputs) {
  const Tensor ids = Tensor::Of<int64_t>({1, 2}, {0, 5});
  ExpectError(NGramRepeatBlock(ids, 0, 2).Run().status(), kInvalid, "ngram_size");
  ExpectError(NGramRepeatBlock(ids, 1, 2).Run().status(), kInvalid, "holds 5");
  ExpectError(NGramRepeatBlock(Tensor::Of<int64_t>({1, 1}, {-1}), 1, 2).Run().status(), kInvalid,
              "holds -1");
  ExpectError(NGramRepeatBlock(Ints({1}), 1, 2).Run().status(), kInvalid, "matrices");
}

}  // namespace
}  // namespace onnxcmp::testing
