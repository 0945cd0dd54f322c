// The functions of one number that ops/common/functions/vector_math.h computes; expected values are
// NumPy's.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectSameBits;
using testing::ExpectTensor;
using testing::OpTest;

struct Function {
  const char* name;
  int opset;
  std::vector<double> x;
  std::vector<double> y;
};

class ElementaryFunctionTest : public ::testing::TestWithParam<Function> {};

TEST_P(ElementaryFunctionTest, InFloatAndInDouble) {
  const Function& function = GetParam();
  const auto size = static_cast<int64_t>(function.x.size());
  const Tensor x = Tensor::Of<double>({size}, function.x);
  const Tensor y = Tensor::Of<double>({size}, function.y);
  ExpectTensor(OpTest(function.name, function.opset).Input(x).Run(), y, 1e-14);
  ExpectTensor(OpTest(function.name, function.opset)
                   .Input(Tensor::Of<float>({size}, {function.x.begin(), function.x.end()}))
                   .Run(),
               Tensor::Of<float>({size}, {function.y.begin(), function.y.end()}), 1e-6);
  ExpectTensor(OpTest(function.name, function.opset).Input(Tensor::Of<float>({0, 2}, {})).Run(),
               Tensor::Of<float>({0, 2}, {}));
}

INSTANTIATE_TEST_SUITE_P(
    All, ElementaryFunctionTest,
    ::testing::Values(
        Function{"Exp",
                 13,
                 {0, 1, -1, -INFINITY, INFINITY, NAN},
                 {1, 2.718281828459045, 0.36787944117144233, 0, INFINITY, NAN}},
        Function{"Log",
                 1,
                 {1, 2, 0, -1, INFINITY, NAN},
                 {0, 0.6931471805599453, -INFINITY, NAN, INFINITY, NAN}},
        Function{"Tan", 7, {0, 1, -1, INFINITY}, {0, 1.5574077246549023, -1.5574077246549023, NAN}},
        Function{"Asin", 7, {0, 1, -0.5, 2}, {0, 1.5707963267948966, -0.5235987755982989, NAN}},
        Function{"Acos", 7, {1, 0, -1, 2}, {0, 1.5707963267948966, 3.141592653589793, NAN}},
        Function{"Atan", 7, {0, 1, -INFINITY}, {0, 0.7853981633974483, -1.5707963267948966}},
        Function{"Sinh",
                 9,
                 {0, 1, -1, INFINITY},
                 {0, 1.1752011936438014, -1.1752011936438014, INFINITY}},
        Function{
            "Cosh", 9, {0, 1, -1, INFINITY}, {1, 1.5430806348152437, 1.5430806348152437, INFINITY}},
        Function{
            "Asinh", 9, {0, 1, -1, INFINITY}, {0, 0.881373587019543, -0.881373587019543, INFINITY}},
        Function{"Acosh", 9, {1, 2, 0.5, INFINITY}, {0, 1.3169578969248166, NAN, INFINITY}},
        Function{"Atanh", 9, {0, 0.5, 1, 2}, {0, 0.5493061443340548, INFINITY, NAN}},
        Function{"Floor", 13, {1.5, -1.5, 2, INFINITY, NAN}, {1, -2, 2, INFINITY, NAN}},
        Function{"Ceil", 13, {1.5, -1.5, 2, -INFINITY, NAN}, {2, -1, 2, -INFINITY, NAN}},
        Function{"Round", 11, {0.5, 1.5, 2.5, -0.5, -2.5, 2.6, NAN}, {0, 2, 2, -0.0, -2, 3, NAN}},
        Function{"Sign", 13, {3, -0.5, 0, -INFINITY, NAN}, {1, -1, 0, -1, NAN}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ElementaryFunctionTest, NarrowFloatsAreRoundedOnce) {
  const Tensor x = Tensor::Of<float>({3}, {0.5f, 1, -2});
  ExpectSameBits(
      OpTest("Exp", 13).Input(Convert(x, DType::kBfloat16)).Run(),
      Convert(Tensor::Of<float>({3}, {1.6487213f, 2.7182817f, 0.13533528f}), DType::kBfloat16));
}

TEST(RoundTest, KeepsTheSignOfZero) {
  ExpectSameBits(OpTest("Round", 22).Input(Tensor::Of<float>({2}, {-0.25f, 0.25f})).Run(),
                 Tensor::Of<float>({2}, {-0.0f, 0.0f}));
}

TEST(SignTest, Integers) {
  ExpectTensor(OpTest("Sign", 13).Input(Tensor::Of<int64_t>({3}, {INT64_MIN, 0, INT64_MAX})).Run(),
               Tensor::Of<int64_t>({3}, {-1, 0, 1}));
  ExpectTensor(OpTest("Sign", 9).Input(Tensor::Of<uint8_t>({2}, {0, 255})).Run(),
               Tensor::Of<uint8_t>({2}, {0, 1}));
}

}  // namespace
}  // namespace onnxcmp
