#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(AndTest, TruthTableBroadcast) {
  ExpectTensor(OpTest("And", 7).Input(Bools({2, 1}, {0, 1})).Input(Bools({2}, {0, 1})).Run(),
               Bools({2, 2}, {0, 0, 0, 1}));
  ExpectTensor(OpTest("And", 7).Input(Bools({}, {1})).Input(Bools({0}, {})).Run(), Bools({0}, {}));
}

TEST(AndTest, AxisBeforeOpset7) {
  ExpectTensor(OpTest("And", 1)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(Bools({2, 2}, {1, 1, 1, 1}))
                   .Input(Bools({2}, {0, 1}))
                   .Run(),
               Bools({2, 2}, {0, 0, 1, 1}));
}

// A file may hold other bytes than 0 and 1; every one but 0 is true.
TEST(AndTest, OtherBytesAreTrue) {
  const std::vector<uint8_t> bytes = {2, 0x80};
  absl::StatusOr<Tensor> odd = Tensor::FromBuffer(
      DType::kBool, {2}, Buffer::Borrow(bytes.data(), 2, std::make_shared<int>()));
  ASSERT_TRUE(odd.ok()) << odd.status();
  ExpectTensor(OpTest("And", 7).Input(*odd).Input(Bools({}, {1})).Run(), Bools({2}, {1, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
