#include "evaluator/model/value_type.h"

#include <memory>
#include <string>

#include "evaluator/kernels/signature.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kTwoFloats = Tensor::Of<float>({2}, {1, 2});
const Tensor kOneInt = Tensor::Of<int64_t>({1}, {1});

std::string TypeText(const Value& value) {
  const absl::StatusOr<TypeInfo> type = TypeOf(value);
  return type.ok() ? TypeInfoToString(*type) : std::string(type.status().message());
}

Value OptionalOf(Value value) {
  return Optional{.element = std::make_shared<const Value>(std::move(value))};
}

TEST(TypeOfTest, GoesAllTheWayDown) {
  EXPECT_EQ(TypeText(Value()), "?");
  EXPECT_EQ(TypeText(kTwoFloats), "float");
  EXPECT_EQ(TypeText(Sequence{DType::kFloat, {kTwoFloats}}), "seq(float)");
  EXPECT_EQ(TypeText(Sequence{DType::kUndefined, {Sequence{DType::kInt64, {}}}}),
            "seq(seq(int64))");
  EXPECT_EQ(TypeText(OptionalOf(Sequence{DType::kFloat, {kTwoFloats}})), "optional(seq(float))");
  EXPECT_EQ(TypeText(MapOf(kOneInt, Tensor::Of<float>({1}, {1}))), "map(int64,float)");
  EXPECT_EQ(TypeText(MapOf(kOneInt, Sequence{DType::kFloat, {kTwoFloats}})), "map(int64,float)");
  EXPECT_EQ(TypeText(SparseTensor{kTwoFloats, kOneInt, {4}}), "sparse(float)");
}

TEST(TypeOfTest, LeavesOpenWhatAValueDoesNotSay) {
  EXPECT_EQ(TypeText(Sequence{}), "seq(?)");
  EXPECT_EQ(TypeText(Sequence{DType::kFloat, {}}), "seq(float)");
  EXPECT_EQ(TypeText(Optional{}), "optional(?)");
}

TEST(TypeOfTest, RefusesValuesThatAreNotWhole) {
  ExpectError(TypeOf(Sequence{DType::kFloat, {kTwoFloats, kOneInt}}).status(), kInvalid,
              "a sequence holds float[2] and int64[1]");
  ExpectError(TypeOf(Sequence{DType::kFloat, {kTwoFloats, Sequence{}}}).status(), kInvalid,
              "a sequence holds float[2] and seq(?)[0]");
  ExpectError(TypeOf(Sequence{DType::kFloat, {Value()}}).status(), kInvalid, "an absent value");
  ExpectError(TypeOf(MapOf(kOneInt, kTwoFloats)).status(), kInvalid, "1 keys and 2 values");
  ExpectError(TypeOf(MapOf(Tensor::Scalar<int64_t>(1), kTwoFloats)).status(), kInvalid, "rank 1");
  ExpectError(TypeOf(MapOf(kOneInt, Tensor::Scalar(1.0f))).status(), kInvalid, "rank 1");
  ExpectError(TypeOf(Map{kOneInt, nullptr}).status(), kInvalid, "and values");
}

TEST(ParseTypeTest, ReadsWhatSchemasWrite) {
  for (const char* text : {"float", "seq(float)", "optional(seq(int4))", "map(int64,string)"}) {
    EXPECT_EQ(TypeInfoToString(ParseType(text).value()), text);
  }
  EXPECT_EQ(TypeInfoToString(ParseType("map(string, tensor(float))").value()), "map(string,float)");
  EXPECT_EQ(TypeInfoToString(ParseType("sparse_tensor(double)").value()), "sparse(double)");
  for (const char* text : {"", "tensor(nothing)", "seq()", "seq(tensor(float)", "map(float)"}) {
    EXPECT_FALSE(ParseType(text).has_value()) << text;
  }
}

TEST(AgreeTest, WhatIsNotKnownAgreesWithEverything) {
  const auto agree = [](const char* a, const Value& b) {
    return Agree(ParseType(a).value(), TypeOf(b).value());
  };
  EXPECT_TRUE(agree("seq(tensor(float))", Sequence{}));
  EXPECT_TRUE(agree("optional(seq(tensor(float)))", Optional{}));
  EXPECT_FALSE(agree("seq(tensor(float))", Sequence{DType::kInt64, {}}));
  EXPECT_FALSE(agree("optional(seq(tensor(float)))", OptionalOf(kTwoFloats)));
  EXPECT_FALSE(agree("tensor(float)", Sequence{}));
}

}  // namespace
}  // namespace onnxcmp::testing
