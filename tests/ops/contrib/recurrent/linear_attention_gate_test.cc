// Expected values are written out, or those of a NumPy transcription of the documentation.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Steps(int64_t size, const std::vector<float>& values) {
  return Tensor::Of<float>({1, static_cast<int64_t>(values.size()) / size, size}, values);
}

TEST(LinearAttentionGate, DecaysAndUpdates) {
  OpTest test("LinearAttentionGate", 1, "com.microsoft");
  test.Outputs(2).Input(Steps(2, {0, 1})).Input(Floats({0.5f, -2})).Input(Floats({-2, 3}));
  ExpectOutputs(OpTest(test).Input(Steps(2, {0, 2})),
                {Steps(2, {-1.948153968f, 0.939785063f}), Steps(2, {0.5f, 0.880797078f})}, 1e-6);
  ExpectError(test.Run().status(), kInvalid, "b is not given");
  ExpectError(OpTest(test).Input(Steps(1, {0, 2})).Run().status(), kInvalid, "b is float[1,2,1]");
}

}  // namespace
}  // namespace onnxcmp::testing
