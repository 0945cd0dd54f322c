#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ReduceSumIntegerTest, Values) {
  OpTest test("ReduceSumInteger", 1, "com.microsoft");
  test.Attr("axes", std::vector<int64_t>{1}).Attr("keepdims", 1);
  ExpectTensor(test.Input(Int8s({2, 2}, {100, 100, -128, -128})).Run(),
               Tensor::Of<int32_t>({2, 1}, {200, -256}));
  OpTest all("ReduceSumInteger", 1, "com.microsoft");
  all.Attr("axes", std::vector<int64_t>{}).Attr("keepdims", 0);
  ExpectTensor(all.Input(Uint8s({3}, {255, 255, 255})).Run(), Tensor::Scalar<uint32_t>(765));
}

}  // namespace
}  // namespace onnxcmp::testing
