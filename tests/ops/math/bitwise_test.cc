// BitShift and the Bitwise operators, and BitCast.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::AsStridedView;
using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

TEST(BitShiftTest, BothDirections) {
  const Tensor x = Tensor::Of<uint8_t>({4}, {16, 255, 1, 255});
  const Tensor by = Tensor::Of<uint8_t>({4}, {1, 4, 0, 200});
  ExpectTensor(OpTest("BitShift", 11).Attr("direction", "LEFT").Input(x).Input(by).Run(),
               Tensor::Of<uint8_t>({4}, {32, 240, 1, 0}));
  ExpectTensor(OpTest("BitShift", 11).Attr("direction", "RIGHT").Input(x).Input(by).Run(),
               Tensor::Of<uint8_t>({4}, {8, 15, 1, 0}));
  ExpectTensor(OpTest("BitShift", 11)
                   .Attr("direction", "LEFT")
                   .Input(Tensor::Of<uint64_t>({2}, {1, 1}))
                   .Input(Tensor::Of<uint64_t>({2}, {63, 64}))
                   .Run(),
               Tensor::Of<uint64_t>({2}, {uint64_t{1} << 63, 0}));
  ExpectError(OpTest("BitShift", 11).Attr("direction", "UP").Input(x).Input(by).Run().status(),
              kInvalid, "direction must be LEFT or RIGHT, not UP");
}

TEST(BitShiftTest, SignedIntegers) {
  ONNXCMP_NEEDS_OPSET(28);
  const auto shift = [](const char* direction, const Tensor& x, const Tensor& by) {
    return OpTest("BitShift", 28).Attr("direction", direction).Input(x).Input(by).Run();
  };
  // The text: copies of the sign to the right; no bit is left by a negative Y and one of 8 or more.
  const Tensor x = Tensor::Of<int8_t>({7}, {-128, -1, 64, -3, 100, -100, 5});
  const Tensor by = Tensor::Of<int8_t>({7}, {1, 7, 1, 8, -1, -128, 127});
  ExpectTensor(shift("RIGHT", x, by), Tensor::Of<int8_t>({7}, {-64, -1, 32, -1, 0, -1, 0}));
  ExpectTensor(shift("LEFT", x, by), Tensor::Of<int8_t>({7}, {0, -128, -128, 0, 0, 0, 0}));
  const Tensor wide = Tensor::Of<int64_t>({4}, {INT64_MIN, INT64_MIN, -1, 3});
  const Tensor far = Tensor::Of<int64_t>({4}, {63, 64, INT64_MIN, 62});
  ExpectTensor(shift("RIGHT", wide, far), Tensor::Of<int64_t>({4}, {-1, -1, -1, 0}));
  ExpectTensor(shift("LEFT", wide, far),
               Tensor::Of<int64_t>({4}, {0, 0, 0, static_cast<int64_t>(uint64_t{3} << 62)}));
}

TEST(BitwiseTest, SignedAndUnsigned) {
  const Tensor a = Tensor::Of<int32_t>({2, 1}, {12, -1});
  const Tensor b = Tensor::Of<int32_t>({2}, {10, 7});
  ExpectTensor(OpTest("BitwiseAnd", 18).Input(a).Input(b).Run(),
               Tensor::Of<int32_t>({2, 2}, {8, 4, 10, 7}));
  ExpectTensor(OpTest("BitwiseOr", 18).Input(a).Input(b).Run(),
               Tensor::Of<int32_t>({2, 2}, {14, 15, -1, -1}));
  ExpectTensor(OpTest("BitwiseXor", 18).Input(a).Input(b).Run(),
               Tensor::Of<int32_t>({2, 2}, {6, 11, -11, -8}));
  ExpectTensor(OpTest("BitwiseNot", 18).Input(a).Run(), Tensor::Of<int32_t>({2, 1}, {-13, 0}));
  ExpectTensor(OpTest("BitwiseNot", 18).Input(Tensor::Of<uint8_t>({2}, {0, 0x0f})).Run(),
               Tensor::Of<uint8_t>({2}, {255, 0xf0}));
}

TEST(BitCastTest, KeepsTheBits) {
  ExpectTensor(OpTest("BitCast", 26)
                   .Attr("to", static_cast<int>(DType::kInt32))
                   .Input(Tensor::Of<float>({2}, {1, -0.0f}))
                   .Run(),
               Tensor::Of<int32_t>({2}, {0x3f800000, INT32_MIN}));
  ExpectTensor(
      OpTest("BitCast", 26)
          .Attr("to", static_cast<int>(DType::kUint16))
          .Input(AsStridedView(Convert(Tensor::Of<float>({2, 2}, {1, 2, -1, 0}), DType::kFloat16)))
          .Run(),
      Tensor::Of<uint16_t>({2, 2}, {0x3c00, 0x4000, 0xbc00, 0}));
  ExpectTensor(OpTest("BitCast", 26)
                   .Attr("to", static_cast<int>(DType::kUint4))
                   .Input(Convert(Tensor::Of<float>({3}, {-1, 7, -8}), DType::kInt4))
                   .Run(),
               Convert(Tensor::Of<float>({3}, {15, 7, 8}), DType::kUint4));
  ExpectTensor(OpTest("BitCast", 26)
                   .Attr("to", static_cast<int>(DType::kInt32))
                   .Input(Tensor::Of<float>({0, 3}, {}))
                   .Run(),
               Tensor::Of<int32_t>({0, 3}, {}));
}

TEST(BitCastTest, TypesAreOfOneWidth) {
  ExpectError(OpTest("BitCast", 26)
                  .Attr("to", static_cast<int>(DType::kInt16))
                  .Input(Tensor::Of<float>({1}, {1}))
                  .Run()
                  .status(),
              kInvalid, "cannot cast the 32 bits of float to int16");
  ExpectError(
      OpTest("BitCast", 26).Attr("to", 99).Input(Tensor::Of<float>({1}, {1})).Run().status(),
      kInvalid, "element type 99");
}

}  // namespace
}  // namespace onnxcmp
