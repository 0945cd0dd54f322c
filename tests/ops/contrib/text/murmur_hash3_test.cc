#include <string>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest MurmurHash3(const Tensor& x) {
  OpTest test("MurmurHash3", 1, "com.microsoft");
  test.Input(x);
  return test;
}

// Values: onnxruntime 1.31.
TEST(ContribMurmurHash3Test, FourBytesWithSeed) {
  ExpectTensor(MurmurHash3(Tensor::Of<int32_t>({3}, {0, 1, -1})).Attr("seed", 42).Run(),
               Tensor::Of<uint32_t>({3}, {933211791u, 3735386339u, 2690190909u}));
}

TEST(ContribMurmurHash3Test, EightBytes) {
  ExpectTensor(MurmurHash3(Tensor::Of<double>({3}, {0.0, -0.0, 1.5})).Run(),
               Tensor::Of<uint32_t>({3}, {1669671676u, 1366273829u, 4034560987u}));
}

TEST(ContribMurmurHash3Test, StringsOfAnyLengthSigned) {
  const Tensor x = Tensor::Of<std::string>({2, 2}, {"", "a", "abcd", "abcdefg"});
  ExpectTensor(MurmurHash3(x).Attr("positive", 0).Run(),
               Tensor::Of<int32_t>({2, 2}, {0, 1009084850, 1139631978, -2009294074}));
}

}  // namespace
}  // namespace onnxcmp::testing
