// What belongs to which output, and what is missing.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::GivenModel;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::WhatWasSaid;

struct Case {
  const char* name;
  const char* left;
  const char* right;
  bool agrees;
  bool partially = false;  // with what is left over on a side accepted
};

constexpr char kTwo[] =
    "(float[6,6] x) => (float[6,6] y, float[6,6] z) { y = Relu(x) z = Tanh(x) }";

const std::vector<Case>& Cases() {
  static const auto& cases = *new std::vector<Case>{
      {"the_same", kTwo, kTwo, true, true},
      {"order", kTwo, "(float[6,6] x) => (float[6,6] z, float[6,6] y) { y = Relu(x) z = Tanh(x) }",
       true, true},
      {"renamed", kTwo,
       "(float[6,6] x) => (float[6,6] a, float[6,6] b) { a = Relu(x) b = Tanh(x) }", true, true},
      {"renamed_and_reordered", kTwo,
       "(float[6,6] x) => (float[6,6] b, float[6,6] a) { a = Relu(x) b = Tanh(x) }", true, true},
      {"names_exchanged", kTwo,
       "(float[6,6] x) => (float[6,6] y, float[6,6] z) { z = Relu(x) y = Tanh(x) }", false},
      {"one_wrong_of_two", kTwo,
       "(float[6,6] x) => (float[6,6] y, float[6,6] z) { y = Relu(x) z = Sigmoid(x) }", false},
      {"one_wrong_of_two_renamed", kTwo,
       "(float[6,6] x) => (float[6,6] a, float[6,6] b) { a = Relu(x) b = Sigmoid(x) }", false},
      {"the_same_twice", kTwo,
       "(float[6,6] x) => (float[6,6] a, float[6,6] b) { a = Relu(x) b = Relu(x) }", false},
      {"one_missing", kTwo, "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }", false, true},
      {"one_missing_renamed", kTwo, "(float[6,6] x) => (float[6,6] b) { b = Tanh(x) }", false,
       true},
      {"one_more", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }", kTwo, false, true},
      {"none_on_the_right", kTwo, "(float[6,6] x) => () { y = Relu(x) z = Tanh(x) }", false},
      {"none_on_the_left", "(float[6,6] x) => () { y = Relu(x) }", kTwo, false},
      {"none_at_all", "(float[6,6] x) => () { y = Relu(x) }",
       "(float[6,6] x) => () { y = Relu(x) }", false},
      {"transposed", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[6,6] y) { r = Relu(x) y = Transpose(r) }", false},
      {"transposed_inside", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[6,6] y) { t = Transpose(x) r = Relu(t) y = Transpose(r) }", true,
       true},
      {"flattened", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[36] y) { r = Relu(x) s = Constant<value_ints = [36]>()"
       " y = Reshape(r, s) }",
       false},
      {"an_axis_more", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[1,6,6] y) { r = Relu(x) s = Constant<value_ints = [1,6,6]>()"
       " y = Reshape(r, s) }",
       false},
      {"rows_backwards", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[6,6] y) { r = Relu(x) a = Constant<value_ints = [-1]>()"
       " b = Constant<value_ints = [-7]>() c = Constant<value_ints = [0]>()"
       " d = Constant<value_ints = [-1]>() y = Slice(r, a, b, c, d) }",
       false},
      {"a_row_less", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[5,6] y) { r = Relu(x) a = Constant<value_ints = [0]>()"
       " b = Constant<value_ints = [5]>() c = Constant<value_ints = [0]>()"
       " y = Slice(r, a, b, c) }",
       false},
      {"a_sequence_of_it", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (seq(float[6,6]) y) { r = Relu(x) y = SequenceConstruct(r) }", false},
      {"a_sequence_one_shorter",
       "(float[6,6] x) => (seq(float[6,6]) y) { r = Relu(x) y = SequenceConstruct(r, x) }",
       "(float[6,6] x) => (seq(float[6,6]) y) { r = Relu(x) y = SequenceConstruct(r) }", false},
      {"a_sequence_in_another_order",
       "(float[6,6] x) => (seq(float[6,6]) y) { r = Relu(x) y = SequenceConstruct(r, x) }",
       "(float[6,6] x) => (seq(float[6,6]) y) { r = Relu(x) y = SequenceConstruct(x, r) }", false},
      {"a_constant", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[6,6] y) { y = Sub(x, x) }", false},
      {"an_input_handed_on", "(float[6,6] x) => (float[6,6] y) { y = Relu(x) }",
       "(float[6,6] x) => (float[6,6] x) { y = Relu(x) }", false},
      {"integers_for_floats", "(float[6,6] x) => (float[6,6] y) { y = Round(x) }",
       "(float[6,6] x) => (int64[6,6] y) { r = Round(x) z = Neg(r) y = Cast<to = 7>(z) }", false},
  };
  return cases;
}

class OutputLiesTest : public ::testing::TestWithParam<Case> {};

TEST_P(OutputLiesTest, BelongsToItsOwn) {
  const Case& pair = GetParam();
  const Feeds feeds = {{"x", RandomFloats({6, 6}, 1)}};
  CompareOptions options;
  EXPECT_EQ(Agrees(CompareModels({pair.left}, {pair.right}, feeds)), pair.agrees)
      << WhatWasSaid(CompareModels({pair.left}, {pair.right}, feeds));
  options.partial = true;
  const Comparison partial = CompareModels({pair.left}, {pair.right}, feeds, options);
  EXPECT_EQ(Agrees(partial), pair.partially) << WhatWasSaid(partial);
}

INSTANTIATE_TEST_SUITE_P(All, OutputLiesTest, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<Case>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace onnxcmp
