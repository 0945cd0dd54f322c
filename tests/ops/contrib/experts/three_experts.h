// Inputs for tests of MoE and ShardedMoE.
#ifndef ONNXCMP_TESTS_OPS_CONTRIB_EXPERTS_THREE_EXPERTS_H_
#define ONNXCMP_TESTS_OPS_CONTRIB_EXPERTS_THREE_EXPERTS_H_

#include "tests/support/op_test.h"

namespace onnxcmp::testing {

// The softmax of the router's 1, 2, 0.
inline constexpr float kFirstExpert = 0.244728471f, kSecondExpert = 0.665240956f;

// One token (1, -2), three experts with one inner element: fc1 takes element e % 2 of the token
// times e + 1, fc2 gives it to both outputs, the second doubled.
inline OpTest Experts(const char* name, bool inputs_first = false) {
  OpTest test(name, 1, "com.microsoft");
  test.Input(Tensor::Of<float>({1, 2}, {1, -2})).Input(Tensor::Of<float>({1, 3}, {1, 2, 0}));
  const Shape first = inputs_first ? Shape{3, 2, 1} : Shape{3, 1, 2};
  const Shape second = inputs_first ? Shape{3, 1, 2} : Shape{3, 2, 1};
  test.Input(Tensor::Of<float>(first, {1, 0, 0, 2, 3, 0})).NoInput();
  return test.Input(Tensor::Of<float>(second, {1, 2, 1, 2, 1, 2}));
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_OPS_CONTRIB_EXPERTS_THREE_EXPERTS_H_
