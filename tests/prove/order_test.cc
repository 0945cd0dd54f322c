// Numbers that are the greatest of many, and their places: each rule beside a fault that it must
// not take.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::GivenX;
using testing::ProofOfModels;

bool AreProved(const std::string& signature, const std::string& left, const std::string& right,
               const Tensor& x = GivenX()) {
  const auto text = [&](const std::string& body) {
    return absl::StrCat("g ", signature, " { ", body, " }");
  };
  return ProofOfModels(text(left), text(right), x).proved;
}

TEST(Order, PlacesGoWithWhatRises) {
  const std::string signature =
      "(float[2,4] x) => (int64[2,1] y) <float two = {2}, float less = {-2}, float[4] each = {1, "
      "2, 3, 4}, int64[1] k = {1}>";
  const std::string plain = "y = ArgMax<axis = 1>(x)";
  const auto of = [](const std::string& body) { return body + " y = ArgMax<axis = 1>(a)"; };
  for (const std::string body :
       {"a = Exp(x)", "a = Softmax(x)", "a = LogSoftmax(x)", "a = Sigmoid(x)", "a = Tanh(x)",
        "a = Mul(x, two)", "a = Add(x, less)", "b = Div(x, two) c = Add(b, two) a = Sigmoid(c)",
        "b = Neg(x) a = Neg(b)"}) {
    EXPECT_TRUE(AreProved(signature, of(body), plain)) << body;
  }
  for (const std::string body :
       {"a = Neg(x)", "a = Mul(x, less)", "a = Mul(x, each)", "a = Add(x, each)", "a = Relu(x)",
        "a = Abs(x)", "a = Softmax<axis = 0>(x)", "b = Neg(x) a = Sigmoid(b)", "a = Mul(x, x)",
        "s = Softmax(x) a = Mul(s, each)", "h = Cast<to = 10>(x) a = Cast<to = 1>(h)"}) {
    EXPECT_FALSE(AreProved(signature, of(body), plain)) << body;
  }
  // Behind a mask that hides the first number, too.
  const std::string masked =
      "c = Constant<value = bool[4] {0, 1, 1, 1}>() n = Constant<value_float = -inf>() "
      "near = Constant<value_floats = [1.0, 1.0, 1.0, 1.001]>() t = Mul(x, near) ";
  EXPECT_TRUE(AreProved(signature, masked + of("s = Where(c, x, n) a = Softmax(s)"),
                        masked + of("a = Where(c, x, n)")));
  EXPECT_FALSE(AreProved(signature, masked + of("s = Where(c, t, n) a = Softmax(s)"),
                         masked + of("a = Where(c, x, n)")));
  EXPECT_TRUE(AreProved(signature, "n = Neg(x) y = ArgMin<axis = 1>(n)", plain));
  EXPECT_FALSE(AreProved(signature, "y = ArgMin<axis = 1>(x)", plain));
  EXPECT_FALSE(AreProved(signature, "y = ArgMax<axis = 1, select_last_index = 1>(x)", plain));
  EXPECT_TRUE(AreProved(signature, "v, y = TopK(x, k)", plain));
  EXPECT_FALSE(AreProved(signature, "v, y = TopK<largest = 0>(x, k)", plain));
}

TEST(Order, TheGreatestOfTheGreatest) {
  const std::string signature =
      "(float[2,4] x) => (float[n] y) <int64[1] first = {0}, int64[2] both = {0, 1}, float two = "
      "{2}, float one = {1}, float[4] each = {1, 2, 3, 4}>";
  const std::string twice = "b = ReduceMax<keepdims = 0>(x, first) ";
  const std::string end = " y = ReduceMax(b, first)";
  const std::string all = "a = ReduceMax(x, both) r = Constant<value_ints = [1]>() ";
  const std::string flat = " y = Reshape(a, r)";
  EXPECT_TRUE(AreProved(signature, twice + end, all + flat));
  EXPECT_FALSE(AreProved(signature, "b = ReduceMin<keepdims = 0>(x, first)" + end, all + flat));
  EXPECT_FALSE(
      AreProved(signature, "c = ReduceMax<keepdims = 0>(x, first) b = Neg(c)" + end,
                "n = Neg(x) a = ReduceMax(n, both) r = Constant<value_ints = [1]>()" + flat));
  EXPECT_FALSE(AreProved(signature, "c = ReduceMax<keepdims = 0>(x, first) b = Add(c, each)" + end,
                         all + flat));
  const auto of = [](const std::string& before, const std::string& after) {
    return absl::StrCat(before, " g = ReduceMax<keepdims = 0>(a, first) ", after);
  };
  EXPECT_TRUE(AreProved(signature, of("a = Relu(x)", "y = Identity(g)"),
                        of("a = Identity(x)", "y = Relu(g)")));
  EXPECT_TRUE(AreProved(signature, of("a = Clip(x, one, two)", "y = Identity(g)"),
                        of("a = Identity(x)", "y = Clip(g, one, two)")));
  EXPECT_TRUE(AreProved(signature, of("a = Exp(x)", "y = Identity(g)"),
                        of("a = Identity(x)", "y = Exp(g)")));
  EXPECT_TRUE(AreProved(signature,
                        of("c = Concat<axis = 0>(x, x, x) a = Add(c, two)", "y = Identity(g)"),
                        of("a = Concat<axis = 0>(x, x)", "y = Add(g, two)")));
  EXPECT_FALSE(AreProved(signature, of("a = Neg(x)", "y = Identity(g)"),
                         of("a = Identity(x)", "y = Neg(g)")));
  EXPECT_FALSE(AreProved(signature, of("a = Clip(x, one, two)", "y = Identity(g)"),
                         of("a = Identity(x)", "y = Max(g, one)")));
}

TEST(Order, PoolsAfterEachOther) {
  const std::string signature = "(float[1,1,8] x) => (float[1,1,n] y)";
  const Tensor x = Tensor::Of<float>({1, 1, 8}, {1, -2, 3, -4, 5, -6, 7, -8});
  const auto pool = [](int size, const std::string& from) {
    return absl::StrCat("MaxPool<kernel_shape = [", size, "], strides = [1]>(", from, ")");
  };
  EXPECT_TRUE(AreProved(signature, absl::StrCat("a = ", pool(2, "x"), " y = ", pool(3, "a")),
                        "y = " + pool(4, "x"), x));
  EXPECT_FALSE(AreProved(signature, absl::StrCat("a = ", pool(2, "x"), " y = ", pool(2, "a")),
                         "y = MaxPool<kernel_shape = [2], strides = [1], dilations = [2]>(x)", x));
  EXPECT_TRUE(AreProved(signature, "a = Relu(x) y = " + pool(2, "a"),
                        absl::StrCat("a = ", pool(2, "x"), " y = Relu(a)"), x));
  EXPECT_TRUE(AreProved(signature, "y = GlobalMaxPool(x)", "y = " + pool(8, "x"), x));
}

TEST(Order, RowsThatAreChosenByOneHot) {
  const std::string signature =
      "(int64[3] x) => (float[3,2] y) <int64 d = {4}, float[2] v = {0, 1}, float[2] twice = {0, "
      "2}, float[4,2] t = {1, 2, 3, 4, 5, 6, 7, 8}, float[4,2] other = {1, 2, 3, 4, 5, 6, 7, 9}>";
  const Tensor ids = Tensor::Of<int64_t>({3}, {0, 3, 2});
  const std::string rows = "y = Gather(t, x)";
  EXPECT_TRUE(AreProved(signature, "o = OneHot(x, d, v) y = MatMul(o, t)", rows, ids));
  EXPECT_FALSE(AreProved(signature, "o = OneHot(x, d, v) y = MatMul(o, other)", rows, ids));
  EXPECT_FALSE(AreProved(signature, "o = OneHot(x, d, twice) y = MatMul(o, t)", rows, ids));
}

}  // namespace
}  // namespace onnxcmp
