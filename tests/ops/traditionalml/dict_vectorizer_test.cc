#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Vectorizer(const Tensor& keys, const Tensor& values) {
  OpTest test("DictVectorizer", 1, "ai.onnx.ml");
  test.Input(Map{.keys = keys, .values = std::make_shared<const Value>(values)});
  return test;
}

const Tensor& Names() {
  static const auto& keys = *new Tensor(Tensor::Of<std::string>({3}, {"a", "c", "q"}));
  return keys;
}

// The text's example, and a key that is not in the vocabulary.
TEST(DictVectorizerTest, StringKeys) {
  const std::vector<std::string> vocabulary = {"a", "c", "b", "a"};
  ExpectTensor(Vectorizer(Names(), Floats({4, 8, 9})).Attr("string_vocabulary", vocabulary).Run(),
               Floats({4, 8, 0, 4}));
  ExpectTensor(Vectorizer(Names(), Tensor::Of<double>({3}, {4, 8, 9}))
                   .Attr("string_vocabulary", vocabulary)
                   .Run(),
               Tensor::Of<double>({4}, {4, 8, 0, 4}));
  ExpectTensor(Vectorizer(Names(), Ints({int64_t{1} << 60, 8, 9}))
                   .Attr("string_vocabulary", vocabulary)
                   .Run(),
               Ints({int64_t{1} << 60, 8, 0, int64_t{1} << 60}));
}

TEST(DictVectorizerTest, IntegerKeys) {
  OpTest test = Vectorizer(Ints({1, -2}), Tensor::Of<std::string>({2}, {"x", "y"}));
  test.Attr("int64_vocabulary", std::vector<int64_t>{-2, 7});
  ExpectTensor(test.Run(), Tensor::Of<std::string>({2}, {"y", ""}));
}

TEST(DictVectorizerTest, Errors) {
  ExpectError(Vectorizer(Names(), Floats({4, 8, 9})).Run().status(), kInvalid,
              "neither int64_vocabulary nor string_vocabulary is there");
  ExpectError(Vectorizer(Names(), Floats({4, 8, 9}))
                  .Attr("int64_vocabulary", std::vector<int64_t>{1})
                  .Run()
                  .status(),
              kInvalid, "the keys are string");
}

// A file may hold a map whose values are tensors with elements of their own.
TEST(DictVectorizerTest, ValuesThatAreNoScalars) {
  const Sequence values = {.element_dtype = DType::kFloat, .elements = {Floats({4})}};
  OpTest test("DictVectorizer", 1, "ai.onnx.ml");
  test.Attr("string_vocabulary", std::vector<std::string>{"a"});
  test.Input(Map{.keys = Tensor::Of<std::string>({1}, {"a"}),
                 .values = std::make_shared<const Value>(values)});
  ExpectError(test.Run().status(), kInvalid, "must be a map of scalars");
}

}  // namespace
}  // namespace onnxcmp::testing
