// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ScaledSilu, ScaleMustBeAScalar) {
  ExpectError(Contrib("ScaledSiLU").Input(Iota({2})).Input(Floats({1})).Run().status(), kInvalid,
              "scale must be a scalar, not float[1]");
}

}  // namespace
}  // namespace onnxcmp::testing
