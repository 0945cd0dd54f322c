// Expected values: the definition in NumPy, in double; no processor kernel of onnxruntime has it.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(FastGelu, BadInputs) {
  ExpectError(Contrib("FastGelu").Input(Iota({2, 3})).Input(Iota({1, 3})).Run().status(), kInvalid,
              "the bias must be a vector");
  ExpectError(Contrib("FastGelu").Input(Iota({})).Run().status(), kInvalid,
              "a rank of at least 1, not 0");
}

}  // namespace
}  // namespace onnxcmp::testing
