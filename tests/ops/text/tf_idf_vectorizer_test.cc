#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The pool of ONNX's node tests: unigrams 2, 3, 5, 4; bigrams 5 6, 7 8, 6 7.
OpTest Vectorize(const char* mode, Tensor x, int64_t min_length, int64_t max_length,
                 int64_t max_skip) {
  OpTest test("TfIdfVectorizer", 9);
  test.Attr("mode", mode).Attr("min_gram_length", min_length).Attr("max_gram_length", max_length);
  test.Attr("max_skip_count", max_skip).Attr("ngram_counts", std::vector<int64_t>{0, 4});
  test.Attr("ngram_indexes", std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6});
  test.Attr("pool_int64s", std::vector<int64_t>{2, 3, 5, 4, 5, 6, 7, 8, 6, 7});
  test.Input(std::move(x));
  return test;
}

// test_tfidfvectorizer_tf_*.
TEST(TfIdfVectorizerTest, CountsNgrams) {
  const Tensor x = Tensor::Of<int32_t>({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  ExpectTensor(Vectorize("TF", x, 2, 2, 0).Run(), Floats({0, 0, 0, 0, 1, 1, 1}));
  ExpectTensor(Vectorize("TF", x, 2, 2, 5).Run(), Floats({0, 0, 0, 0, 1, 3, 1}));
  ExpectTensor(Vectorize("TF", x, 1, 2, 5).Run(), Floats({0, 3, 1, 0, 1, 3, 1}));
  const Tensor rows = x.Reshaped({2, 6});
  ExpectTensor(Vectorize("TF", rows, 2, 2, 5).Run(),
               Tensor::Of<float>({2, 7}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1}));
  ExpectTensor(Vectorize("TF", x, 1, 2, INT64_MAX).Run(), Floats({0, 3, 1, 0, 1, 3, 1}));
}

TEST(TfIdfVectorizerTest, Weighs) {
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6, 7};
  const Tensor x = Ints({3, 3, 5, 6});
  ExpectTensor(Vectorize("IDF", x, 1, 2, 0).Attr("weights", weights).Run(),
               Floats({0, 2, 3, 0, 5, 0, 0}));
  ExpectTensor(Vectorize("TFIDF", x, 1, 2, 0).Attr("weights", weights).Run(),
               Floats({0, 4, 3, 0, 5, 0, 0}));
  ExpectTensor(Vectorize("TF", x, 1, 2, 0).Attr("weights", weights).Run(),
               Floats({0, 2, 1, 0, 1, 0, 0}));
  ExpectTensor(Vectorize("TF", Ints({}), 1, 2, 0).Run(), Floats({0, 0, 0, 0, 0, 0, 0}));
}

TEST(TfIdfVectorizerTest, TakesWordsAndOrdersOutputs) {
  OpTest test("TfIdfVectorizer", 9);
  test.Attr("mode", "TF").Attr("min_gram_length", 1).Attr("max_gram_length", 2);
  test.Attr("max_skip_count", 0).Attr("ngram_counts", std::vector<int64_t>{0, 1});
  test.Attr("ngram_indexes", std::vector<int64_t>{2, 0});
  test.Attr("pool_strings", std::vector<std::string>{"a", "a", "b"});
  test.Input(Tensor::Of<std::string>({4}, {"a", "b", "x", "a"}));
  ExpectTensor(test.Run(), Floats({1, 0, 2}));
}

TEST(TfIdfVectorizerTest, RefusesWhatDoesNotFit) {
  ExpectError(Vectorize("TF", Ints({1}), 2, 1, 0).Run().status(), kInvalid, "n-grams of 2 to 1");
  ExpectError(Vectorize("XX", Ints({1}), 1, 1, 0).Run().status(), kInvalid, "none of TF");
  ExpectError(Vectorize("TF", Tensor::Of<std::string>({1}, {"a"}), 1, 1, 0).Run().status(),
              kInvalid, "the pool is of integers");
  ExpectError(Vectorize("TF", Ints({1}), 1, 2, 0)
                  .Attr("ngram_indexes", std::vector<int64_t>{0, 1, 2, 3, 4, 5, INT64_MAX})
                  .Run()
                  .status(),
              kInvalid, "ngram_indexes holds");
  ExpectError(Vectorize("TF", Ints({1}), 1, 2, 0)
                  .Attr("ngram_counts", std::vector<int64_t>{0, 5})
                  .Run()
                  .status(),
              kInvalid, "are not n-grams of length 2");
  ExpectError(
      Vectorize("TF", Ints({1}), 1, 2, 0).Attr("weights", std::vector<float>{1}).Run().status(),
      kInvalid, "7 ngram_indexes and 1 weights");
}

}  // namespace
}  // namespace onnxcmp::testing
