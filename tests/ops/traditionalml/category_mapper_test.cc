#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Mapper(const std::vector<int64_t>& ints) {
  OpTest test("CategoryMapper", 1, "ai.onnx.ml");
  test.Attr("cats_strings", std::vector<std::string>{"a", "b"}).Attr("cats_int64s", ints);
  return test;
}

TEST(CategoryMapperTest, BothWays) {
  ExpectTensor(Mapper({5, 6}).Input(Tensor::Of<std::string>({2}, {"b", "x"})).Run(), Ints({6, -1}));
  ExpectTensor(Mapper({5, 6}).Attr("default_string", "?").Input(Ints({5, 7})).Run(),
               Tensor::Of<std::string>({2}, {"a", "?"}));
}

// As onnxruntime does it.
TEST(CategoryMapperTest, TheLastOfEqualKeysCounts) {
  ExpectTensor(Mapper({5, 5}).Input(Ints({5})).Run(), Tensor::Of<std::string>({1}, {"b"}));
}

TEST(CategoryMapperTest, ListsOfUnequalLength) {
  ExpectError(Mapper({5}).Input(Ints({5})).Run().status(), kInvalid,
              "2 cats_strings and 1 cats_int64s");
}

}  // namespace
}  // namespace onnxcmp::testing
