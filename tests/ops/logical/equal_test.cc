#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

template <typename T>
void ExpectEqual(const std::vector<T>& a, const std::vector<T>& b,
                 const std::vector<uint8_t>& want) {
  const int64_t count = static_cast<int64_t>(a.size());
  ExpectTensor(
      OpTest("Equal", 19).Input(Tensor::Of<T>({count}, a)).Input(Tensor::Of<T>({count}, b)).Run(),
      Bools({count}, want));
}

TEST(EqualTest, EveryComputeClass) {
  ExpectEqual<float>({1, NAN, -0.0f, INFINITY}, {1, NAN, 0, INFINITY}, {1, 0, 1, 1});
  ExpectEqual<double>({1 + 0x1p-52}, {1}, {0});
  ExpectEqual<int64_t>({(int64_t{1} << 53) + 1, -1}, {int64_t{1} << 53, -1}, {0, 1});
  ExpectEqual<uint64_t>({~uint64_t{0}}, {~uint64_t{0}}, {1});
  ExpectEqual<int8_t>({-1, 3}, {-1, 4}, {1, 0});
}

TEST(EqualTest, Bools) {
  ExpectTensor(OpTest("Equal", 7).Input(Bools({2, 1}, {0, 1})).Input(Bools({2}, {0, 1})).Run(),
               Bools({2, 2}, {1, 0, 0, 1}));
}

TEST(EqualTest, Strings) {
  const Tensor a = Tensor::Of<std::string>({2, 1}, {"a", "b"});
  const Tensor b = Tensor::Of<std::string>({2}, {"b", "a"});
  ExpectTensor(OpTest("Equal", 19).Input(a).Input(b).Run(), Bools({2, 2}, {0, 1, 1, 0}));
  ExpectTensor(OpTest("Equal", 19)
                   .Input(Tensor::Of<std::string>({0}, {}))
                   .Input(Tensor::Of<std::string>({1}, {"a"}))
                   .Run(),
               Bools({0}, {}));
}

TEST(EqualTest, AxisBeforeOpset7) {
  ExpectTensor(OpTest("Equal", 1)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4}))
                   .Input(Tensor::Of<int32_t>({2}, {1, 4}))
                   .Run(),
               Bools({2, 2}, {1, 0, 0, 1}));
}

}  // namespace
}  // namespace onnxcmp::testing
