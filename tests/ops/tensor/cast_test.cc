#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t To(DType dtype) { return static_cast<int64_t>(dtype); }

absl::StatusOr<Tensor> Cast(const Tensor& x, DType to, int opset = 25) {
  return OpTest("Cast", opset).Attr("to", To(to)).Input(x).Run();
}

// The code of each element of a one-byte type.
std::vector<int> Codes(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<int> codes;
  for (int64_t i = 0; tensor.ok() && i < tensor->num_elements(); ++i) {
    codes.push_back(tensor->data<uint8_t>()[i]);
  }
  return codes;
}

TEST(CastTest, BetweenNumbers) {
  const Tensor x = Tensor::Of<float>({4}, {-2.9f, 2.9f, 300, 0});
  ExpectTensor(Cast(x, DType::kInt32), Tensor::Of<int32_t>({4}, {-2, 2, 300, 0}));
  ExpectTensor(Cast(x, DType::kUint8), Tensor::Of<uint8_t>({4}, {254, 2, 44, 0}));
  ExpectTensor(Cast(x, DType::kDouble), Tensor::Of<double>({4}, {-2.9f, 2.9f, 300, 0}));
  ExpectTensor(Cast(Tensor::Of<int16_t>({1}, {200}), DType::kInt8), Tensor::Of<int8_t>({1}, {-56}));
  ExpectTensor(Cast(Tensor::Scalar<int64_t>((int64_t{1} << 53) + 1), DType::kUint64),
               Tensor::Scalar<uint64_t>((uint64_t{1} << 53) + 1));
  ExpectTensor(Cast(Tensor::Scalar<uint64_t>(~uint64_t{0}), DType::kDouble),
               Tensor::Scalar<double>(0x1p64));
  ExpectTensor(Cast(Tensor::Scalar<double>(1 + 0x1p-11 + 0x1p-40), DType::kFloat16),
               Convert(Tensor::Scalar<float>(1 + 0x1p-10f), DType::kFloat16));
}

// Integers of 16 bits and less pass through float, which holds them all.
TEST(CastTest, SmallIntegersToFloats) {
  std::vector<int16_t> x;
  std::vector<float> wide;
  std::vector<double> wider;
  for (int i = -32768; i <= 32767; ++i) {
    x.push_back(static_cast<int16_t>(i));
    wide.push_back(static_cast<float>(i));
    wider.push_back(i);
  }
  const Tensor all = Tensor::Of<int16_t>({65536}, x);
  ExpectTensor(Cast(all, DType::kFloat), Tensor::Of<float>({65536}, wide));
  ExpectTensor(Cast(all, DType::kDouble), Tensor::Of<double>({65536}, wider));
  // 2049 and 2051 lie between two float16; ties go to even.
  ExpectTensor(Cast(Tensor::Of<uint16_t>({3}, {2049, 2051, 65535}), DType::kFloat16),
               Convert(Tensor::Of<float>({3}, {2048, 2052, kInf}), DType::kFloat16));
  ExpectTensor(Cast(Tensor::Of<int8_t>({2}, {-128, 127}), DType::kFloat),
               Tensor::Of<float>({2}, {-128, 127}));
}

TEST(CastTest, SameTypeIsTheSameTensor) {
  const Tensor x = RandomFloats({5}, 1);
  absl::StatusOr<Tensor> y = Cast(x, DType::kFloat);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->buffer(), x.buffer());
}

// As NumPy and onnxruntime on x86.
TEST(CastTest, FloatsThatUint64DoesNotHold) {
  constexpr uint64_t kTop = uint64_t{1} << 63;
  ExpectTensor(Cast(Tensor::Of<float>({6}, {NAN, INFINITY, 0x1p64f, 0x1p63f, -1, -INFINITY}),
                    DType::kUint64),
               Tensor::Of<uint64_t>({6}, {kTop, 0, 0, kTop, ~uint64_t{0}, kTop}));
}

TEST(CastTest, ToAndFromBool) {
  const Tensor truth = Bools({4}, {0, 0, 1, 1});
  ExpectTensor(Cast(Tensor::Of<float>({4}, {0, -0.0f, NAN, 0.1f}), DType::kBool), truth);
  ExpectTensor(Cast(truth, DType::kFloat), Tensor::Of<float>({4}, {0, 0, 1, 1}));
  ExpectTensor(Cast(truth, DType::kInt64), Tensor::Of<int64_t>({4}, {0, 0, 1, 1}));
}

TEST(CastTest, PackedTypes) {
  // ONNX's test_cast_FLOAT_to_INT4 and test_cast_FLOAT_to_INT2.
  absl::StatusOr<Tensor> nibbles = Cast(Tensor::Of<float>({5}, {-9, -8, 7, 8, 15}), DType::kInt4);
  ASSERT_TRUE(nibbles.ok()) << nibbles.status();
  ExpectTensor(Cast(*nibbles, DType::kInt8), Tensor::Of<int8_t>({5}, {7, -8, 7, -8, -1}));
  absl::StatusOr<Tensor> pairs =
      Cast(Tensor::Of<float>({7}, {-3, -2, -1, 0, 1, 2, 3}), DType::kInt2);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  ExpectTensor(Cast(*pairs, DType::kFloat), Tensor::Of<float>({7}, {1, -2, -1, 0, 1, -2, -1}));
  absl::StatusOr<Tensor> floats =
      Cast(Tensor::Of<float>({5}, {0.48f, 0.25f, -3.5f, -8, 1e6f}), DType::kFloat4E2M1);
  ASSERT_TRUE(floats.ok()) << floats.status();
  ExpectTensor(Cast(*floats, DType::kFloat), Tensor::Of<float>({5}, {0.5f, 0, -4, -6, 6}));
}

// Values of ml_dtypes 0.6, which ONNX's evaluator casts by. Neither type has infinity or NaN.
TEST(CastTest, Float6) {
  ONNXCMP_NEEDS_OPSET(28);
  const Tensor x = Tensor::Of<float>({9}, {0.1f, 7.4f, 7.6f, -8, kInf, 28, 30, 0.0625f, -0.0f});
  const auto cast = [](const Tensor& x, DType to, int saturate) {
    return OpTest("Cast", 28).Attr("to", To(to)).Attr("saturate", saturate).Input(x).Run();
  };
  for (int saturate = 0; saturate < 2; ++saturate) {
    const auto e2m3 = cast(x, DType::kFloat6E2M3, saturate);
    ASSERT_TRUE(e2m3.ok()) << e2m3.status();
    ExpectTensor(cast(*e2m3, DType::kFloat, 1),
                 Tensor::Of<float>({9}, {0.125f, 7.5f, 7.5f, -7.5f, 7.5f, 7.5f, 7.5f, 0, 0}));
    const auto e3m2 = cast(x, DType::kFloat6E3M2, saturate);
    ASSERT_TRUE(e3m2.ok()) << e3m2.status();
    ExpectTensor(cast(*e3m2, DType::kDouble, 1),
                 Tensor::Of<double>({9}, {0.125, 7, 8, -8, 28, 28, 28, 0.0625, 0}));
  }
  std::vector<float> values;
  for (int i = 0; i < 70001; ++i) values.push_back(static_cast<float>(i * 7 % 31 - 15) / 8);
  const Tensor exact = Tensor::Of<float>({70001}, values);
  const auto packed =
      OpTest("Cast", 28).Attr("to", To(DType::kFloat6E2M3)).Input(exact).Threads(2).Run();
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_EQ(packed->byte_size(), (70001 * 6 + 7) / 8);
  ExpectTensor(cast(*packed, DType::kFloat, 1), exact);
}

// Several strips and tasks, so that packed elements of two strips lie beside each other.
TEST(CastTest, LongPackedTensor) {
  std::vector<float> values;
  for (int i = 0; i < 70001; ++i) {
    values.push_back(static_cast<float>(i * 7 % 16 - 8));
  }
  const Tensor x = Tensor::Of<float>({70001}, values);
  absl::StatusOr<Tensor> packed =
      OpTest("Cast", 21).Attr("to", To(DType::kInt4)).Input(x).Threads(2).Run();
  ASSERT_TRUE(packed.ok()) << packed.status();
  ExpectTensor(Cast(*packed, DType::kFloat), x);
}

// The tables of Cast's documentation.
TEST(CastTest, Float8Saturation) {
  const Tensor x = Tensor::Of<float>({3}, {INFINITY, -1e6f, 1e6f});
  const auto cast = [&](DType to, int saturate, int opset) {
    return Codes(
        OpTest("Cast", opset).Attr("to", To(to)).Attr("saturate", saturate).Input(x).Run());
  };
  using C = std::vector<int>;
  EXPECT_EQ(cast(DType::kFloat8E4M3FN, 1, 25), (C{0x7E, 0xFE, 0x7E}));
  EXPECT_EQ(cast(DType::kFloat8E4M3FN, 0, 25), (C{0x7F, 0xFF, 0x7F}));
  EXPECT_EQ(cast(DType::kFloat8E5M2, 1, 25), (C{0x7B, 0xFB, 0x7B}));
  EXPECT_EQ(cast(DType::kFloat8E5M2, 0, 25), (C{0x7C, 0xFC, 0x7C}));
  EXPECT_EQ(cast(DType::kFloat8E4M3FNUZ, 1, 25), (C{0x7F, 0xFF, 0x7F}));
  EXPECT_EQ(cast(DType::kFloat8E5M2FNUZ, 0, 25), (C{0x80, 0x80, 0x80}));
  // As onnxruntime and ONNX's evaluator have it, whatever the text of these versions says.
  EXPECT_EQ(cast(DType::kFloat8E4M3FNUZ, 1, 19), (C{0x7F, 0xFF, 0x7F}));
  EXPECT_EQ(cast(DType::kFloat8E5M2FNUZ, 1, 23), (C{0x7F, 0xFF, 0x7F}));
}

TEST(CastTest, RoundModeOfFloat8E8M0) {
  const auto cast = [](const Tensor& x, const char* mode, int saturate) {
    return Codes(OpTest("Cast", 24)
                     .Attr("to", To(DType::kFloat8E8M0))
                     .Attr("round_mode", mode)
                     .Attr("saturate", saturate)
                     .Input(x)
                     .Run());
  };
  using C = std::vector<int>;
  // The first row is ONNX's test_cast_e8m0_FLOAT_to_FLOAT8E8M0.
  const Tensor x = Tensor::Of<float>({8}, {0, 0.124f, 0.25f, 0.5f, 1.1f, 2, 3, 8});
  EXPECT_EQ(cast(x, "up", 1), (C{0, 124, 125, 126, 128, 128, 129, 130}));
  EXPECT_EQ(cast(x, "down", 1), (C{0, 123, 125, 126, 127, 128, 128, 130}));
  EXPECT_EQ(cast(x, "nearest", 0), (C{255, 124, 125, 126, 127, 128, 129, 130}));
  EXPECT_EQ(cast(Tensor::Of<float>({4}, {INFINITY, NAN, 3e38f, 1e-45f}), "up", 1),
            (C{254, 255, 254, 0}));
  EXPECT_EQ(cast(Tensor::Of<int64_t>({3}, {3, 5, 0}), "up", 1), (C{129, 130, 0}));
  ExpectError(OpTest("Cast", 24)
                  .Attr("to", To(DType::kFloat8E8M0))
                  .Attr("round_mode", "sideways")
                  .Input(x)
                  .Run()
                  .status(),
              kInvalid, "none of up, down and nearest");
}

// The layout of Python's repr(); digits as NumPy 2 prints float32 and float16.
TEST(CastTest, NumbersToStrings) {
  ExpectTensor(Cast(Tensor::Of<float>({11}, {0.1f, 1e16f, 1e-5f, 0.0001f, 3.14159274f, -0.0f,
                                             1e-45f, 3.4028235e38f, 100, 12345.678f, 1e15f}),
                    DType::kString),
               Tensor::Of<std::string>(
                   {11}, {"0.1", "1e+16", "1e-05", "0.0001", "3.1415927", "-0.0", "1e-45",
                          "3.4028235e+38", "100.0", "12345.678", "1000000000000000.0"}));
  ExpectTensor(Cast(Tensor::Of<double>({6}, {1.0 / 3, 5e-324, 123456789, NAN, -INFINITY, 1e22}),
                    DType::kString),
               Tensor::Of<std::string>(
                   {6}, {"0.3333333333333333", "5e-324", "123456789.0", "nan", "-inf", "1e+22"}));
  ExpectTensor(
      Cast(Convert(Tensor::Of<float>({2}, {0.1f, 1.0f / 3}), DType::kFloat16), DType::kString),
      Tensor::Of<std::string>({2}, {"0.1", "0.3333"}));
  ExpectTensor(
      Cast(Tensor::Of<int64_t>({2}, {-5, std::numeric_limits<int64_t>::min()}), DType::kString),
      Tensor::Of<std::string>({2}, {"-5", "-9223372036854775808"}));
  ExpectTensor(Cast(Tensor::Scalar<uint64_t>(~uint64_t{0}), DType::kString),
               Tensor::Scalar<std::string>("18446744073709551615"));
  ExpectTensor(Cast(Bools({2}, {1, 0}), DType::kString),
               Tensor::Of<std::string>({2}, {"True", "False"}));
}

TEST(CastTest, StringsToNumbers) {
  ExpectTensor(
      Cast(Tensor::Of<std::string>(
               {9}, {"3.14", "1000", "1e-5", "1E8", "+INF", "inf", "-INF", "NaN", " 7 "}),
           DType::kFloat),
      Tensor::Of<float>({9}, {3.14f, 1000, 1e-5f, 1e8f, INFINITY, INFINITY, -INFINITY, NAN, 7}));
  ExpectTensor(Cast(Tensor::Of<std::string>({4}, {"-5", "100.5", "9223372036854775807", "1e3"}),
                    DType::kInt64),
               Tensor::Of<int64_t>({4}, {-5, 100, std::numeric_limits<int64_t>::max(), 1000}));
  ExpectTensor(Cast(Tensor::Scalar<std::string>("18446744073709551615"), DType::kUint64),
               Tensor::Scalar<uint64_t>(~uint64_t{0}));
  ExpectTensor(Cast(Tensor::Of<std::string>({4}, {"True", "false", "0", "2"}), DType::kBool),
               Bools({4}, {1, 0, 0, 1}));
  EXPECT_EQ(Codes(Cast(Tensor::Scalar<std::string>("1e9"), DType::kFloat8E4M3FN)),
            (std::vector<int>{0x7E}));
  for (const char* text : {"Hello World!", "", "1.2.3", "0x10"}) {
    ExpectError(Cast(Tensor::Of<std::string>({2}, {"1", text}), DType::kFloat).status(), kInvalid,
                "element 1");
  }
}

TEST(CastTest, StringsToStringsAndViews) {
  const Tensor strings = Tensor::Of<std::string>({2, 2}, {"1", "2", "3", "4"});
  ExpectTensor(Cast(strings, DType::kString), strings);
  ExpectTensor(Cast(strings.Strided({2, 2}, {1, 2}, 0), DType::kInt32),
               Tensor::Of<int32_t>({2, 2}, {1, 3, 2, 4}));
  ExpectTensor(Cast(AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})), DType::kInt32),
               Tensor::Of<int32_t>({2, 2}, {1, 2, 3, 4}));
}

TEST(CastTest, Version1NamesTheType) {
  ExpectTensor(OpTest("Cast", 1).Attr("to", "INT64").Input(Tensor::Scalar<float>(2.5f)).Run(),
               Tensor::Scalar<int64_t>(2));
  ExpectTensor(OpTest("Cast", 1).Attr("to", "FLOAT16").Input(Tensor::Scalar<float>(2.5f)).Run(),
               Convert(Tensor::Scalar<float>(2.5f), DType::kFloat16));
  ExpectError(OpTest("Cast", 1).Attr("to", "NUMBER").Input(Tensor::Scalar<float>(1)).Run().status(),
              kInvalid, "no type");
}

TEST(CastTest, TypesThatCastDoesNotProduce) {
  for (int64_t to : {int64_t{0}, int64_t{14}, int64_t{99}, std::numeric_limits<int64_t>::min()}) {
    EXPECT_FALSE(OpTest("Cast", 13).Attr("to", to).Input(Tensor::Scalar<float>(1)).Run().ok())
        << to;
  }
}

TEST(CastLikeTest, TakesTheTypeOfItsSecondInput) {
  for (int opset : {15, 19, 21, 23, 24, 25}) {
    OpTest test("CastLike", opset);
    test.Input(Floats({1.9f, -2.5f})).Input(Tensor::Of<int64_t>({0}, {}));
    ExpectTensor(test.Run(), Ints({1, -2}));
  }
  OpTest text("CastLike", 15);
  text.Input(Floats({2.5f})).Input(Tensor::Scalar(std::string()));
  ExpectTensor(text.Run(), Tensor::Of<std::string>({1}, {"2.5"}));
  OpTest saturating("CastLike", 19);
  saturating.Input(Floats({1e6f})).Input(Convert(Floats({0}), DType::kFloat8E4M3FN));
  ExpectTensor(saturating.Run(), Convert(Floats({448}), DType::kFloat8E4M3FN));
}

}  // namespace
}  // namespace onnxcmp::testing
