#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Encoder(int opset) { return OpTest("LabelEncoder", opset, "ai.onnx.ml"); }

const Tensor& Names() {
  static const auto& x = *new Tensor(Tensor::Of<std::string>({3}, {"b", "", "a"}));
  return x;
}

TEST(LabelEncoderTest, Version1GoesBothWays) {
  OpTest test = Encoder(1);
  test.Attr("classes_strings", std::vector<std::string>{"a", "b", "a"}).Attr("default_int64", 9);
  ExpectTensor(test.Input(Names()).Run(), Ints({1, 9, 2}));
  OpTest back = Encoder(1);
  back.Attr("classes_strings", std::vector<std::string>{"a", "b"}).Input(Ints({1, -1, 2, 0}));
  ExpectTensor(back.Run(), Tensor::Of<std::string>({4}, {"b", "_Unused", "_Unused", "a"}));
}

TEST(LabelEncoderTest, StringsToFloats) {
  OpTest test = Encoder(2);
  test.Attr("keys_strings", std::vector<std::string>{"a", "b"})
      .Attr("values_floats", std::vector<float>{1.5f, 2.5f})
      .Input(Names());
  ExpectSameBits(test.Run(), Tensor::Of<float>({3}, {2.5f, -0.0f, 1.5f}));
}

// As the texts say: version 2 compares bits. (onnxruntime finds no NaN there, and -0 as 0.)
TEST(LabelEncoderTest, FloatKeysByBitsThenByValue) {
  const auto run = [](int opset) {
    OpTest test = Encoder(opset);
    test.Attr("keys_floats", std::vector<float>{kNaN, 0, 2})
        .Attr("values_int64s", std::vector<int64_t>{10, 20, 30})
        .Input(Floats({kNaN, -kNaN, 0, -0.0f, 2, 3}));
    return test.Run();
  };
  ExpectTensor(run(2), Ints({10, -1, 20, -1, 30, -1}));
  ExpectTensor(run(4), Ints({10, 10, 20, 20, 30, -1}));
}

// The values' type is no type of an input, so that no check of inputs sees it.
TEST(LabelEncoderTest, OtherTypesAreRefused) {
  for (const DType dtype : {DType::kInt4, DType::kComplex128, DType::kBfloat16}) {
    OpTest test = Encoder(4);
    test.Attr("keys_strings", std::vector<std::string>{"a", "b", "c"})
        .Attr("values_tensor", Convert(Floats({1, 2, 3}), dtype))
        .Attr("default_tensor", Convert(Floats({0}), dtype))
        .Input(Names());
    ExpectError(test.Run().status(), kInvalid, absl::StrCat("values_tensor is ", DTypeName(dtype)));
  }
}

TEST(LabelEncoderTest, TensorsOfAnyType) {
  for (const DType key :
       {DType::kInt16, DType::kInt32, DType::kInt64, DType::kFloat, DType::kDouble}) {
    for (const DType value : {DType::kInt16, DType::kInt32, DType::kFloat, DType::kDouble}) {
      OpTest test = Encoder(4);
      test.Attr("keys_tensor", Convert(Floats({1, 2, 1}), key))
          .Attr("values_tensor", Convert(Floats({7, 8, 9}), value))
          .Attr("default_tensor", Convert(Floats({5}), value))
          .Input(Convert(Tensor::Of<float>({1, 3}, {1, 2, 3}), key));
      ExpectTensor(test.Run(), Convert(Tensor::Of<float>({1, 3}, {9, 8, 5}), value));
    }
  }
}

TEST(LabelEncoderTest, DefaultsWithoutAttributes) {
  const auto run = [](const Tensor& values) {
    OpTest test = Encoder(4);
    test.Attr("keys_int64s", std::vector<int64_t>{1})
        .Attr("values_tensor", values)
        .Input(Ints({2}));
    return test.Run();
  };
  ExpectTensor(run(Tensor::Of<int16_t>({1}, {7})), Tensor::Of<int16_t>({1}, {-1}));
  ExpectSameBits(run(Tensor::Of<double>({1}, {7})), Tensor::Of<double>({1}, {-0.0}));
  ExpectTensor(run(Tensor::Of<std::string>({1}, {"a"})), Tensor::Of<std::string>({1}, {"_Unused"}));
}

TEST(LabelEncoderTest, ScalarsEmptyTensorsAndViews) {
  const auto run = [](const Tensor& x) {
    OpTest test = Encoder(4);
    test.Attr("keys_strings", std::vector<std::string>{"a", "b"})
        .Attr("values_int64s", std::vector<int64_t>{1, int64_t{1} << 60})
        .Input(x);
    return test.Run();
  };
  ExpectTensor(run(Tensor::Scalar<std::string>("b")), Tensor::Scalar(int64_t{1} << 60));
  ExpectTensor(run(Tensor::Of<std::string>({0, 2}, {})), Tensor::Of<int64_t>({0, 2}, {}));
  ExpectTensor(run(AsStridedView(Names())), Ints({int64_t{1} << 60, -1, 1}));
}

TEST(LabelEncoderTest, BadAttributes) {
  OpTest lengths = Encoder(4);
  lengths.Attr("keys_int64s", std::vector<int64_t>{1, 2})
      .Attr("values_int64s", std::vector<int64_t>{1})
      .Input(Ints({1}));
  ExpectError(lengths.Run().status(), kInvalid, "2 keys and 1 values");
  OpTest both = Encoder(4);
  both.Attr("keys_int64s", std::vector<int64_t>{1})
      .Attr("values_int64s", std::vector<int64_t>{1})
      .Attr("values_floats", std::vector<float>{1})
      .Input(Ints({1}));
  ExpectError(both.Run().status(), kInvalid, "2 of the attributes values_*");
  OpTest type = Encoder(4);
  type.Attr("keys_int64s", std::vector<int64_t>{1})
      .Attr("values_int64s", std::vector<int64_t>{1})
      .Attr("default_tensor", Floats({1}))
      .Input(Ints({1}));
  ExpectError(type.Run().status(), kInvalid, "default_tensor is float[1], not one int64");
  OpTest input = Encoder(4);
  input.Attr("keys_int64s", std::vector<int64_t>{1})
      .Attr("values_int64s", std::vector<int64_t>{1})
      .Input(Floats({1}));
  ExpectError(input.Run().status(), kInvalid, "the keys are int64");
}

}  // namespace
}  // namespace onnxcmp::testing
