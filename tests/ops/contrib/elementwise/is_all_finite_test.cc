#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest IsAllFinite(const Tensor& a, const Tensor& b) {
  OpTest test("IsAllFinite", 1, "com.microsoft");
  test.Input(a).Input(b);
  return test;
}

TEST(ContribIsAllFiniteTest, OfAllInputs) {
  const Tensor yes = Bools({}, {1});
  const Tensor no = Bools({}, {0});
  const Tensor numbers = Floats({0, -1, 3e38f});
  const Tensor with_nan = Floats({kNaN});
  const Tensor with_inf = Floats({1, -kInf});
  ExpectTensor(IsAllFinite(numbers, Floats({})).Run(), yes);
  ExpectTensor(IsAllFinite(numbers, with_nan).Run(), no);
  ExpectTensor(IsAllFinite(with_inf, numbers).Run(), no);
  ExpectTensor(IsAllFinite(numbers, with_nan).Attr("isinf_only", 1).Run(), yes);
  ExpectTensor(IsAllFinite(numbers, with_inf).Attr("isinf_only", 1).Run(), no);
  ExpectTensor(IsAllFinite(numbers, with_inf).Attr("isnan_only", 1).Run(), yes);
  ExpectTensor(IsAllFinite(numbers, with_nan).Attr("isnan_only", 1).Run(), no);
}

TEST(ContribIsAllFiniteTest, NotBothOnly) {
  const OpTest test =
      IsAllFinite(Floats({1}), Floats({1})).Attr("isinf_only", 1).Attr("isnan_only", 1);
  ExpectError(test.Run().status(), kInvalid, "isnan_only");
}

}  // namespace
}  // namespace onnxcmp::testing
