#include "evaluator/kernels/signature.h"

#include <memory>
#include <string>
#include <vector>

#include "evaluator/model/value_type.h"
#include "gtest/gtest.h"
#include "tests/evaluator/kernels/made_schema.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor kFloats = Tensor::Of<float>({1}, {1});
const Tensor kInts = Tensor::Of<int64_t>({1}, {0});

absl::Status Check(const char* op_type, int opset, const std::vector<Value>& inputs,
                   const char* domain = "") {
  const OpRegistry registry;
  return CheckInputs(*MakeSignature(*registry.FindSchema(domain, op_type, opset)), inputs);
}

TEST(CheckInputsTest, LooksIntoSequences) {
  EXPECT_TRUE(Check("SequenceAt", 11, {Sequence{DType::kFloat, {kFloats}}, kInts}).ok());
  EXPECT_TRUE(Check("SequenceAt", 11, {Sequence{}, kInts}).ok());
  ExpectError(Check("SequenceAt", 11, {kFloats, kInts}), kInvalid,
              "its input input_sequence is float[1]; allowed: seq(bool), seq(complex128), "
              "seq(complex64), seq(double), seq(float), seq(float16), seq(int16), seq(int32), "
              "seq(int64), seq(int8), seq(string), seq(uint16), ");
  ExpectError(Check("SequenceAt", 11, {Sequence{DType::kUndefined, {Sequence{}}}, kInts}), kInvalid,
              "its input input_sequence is seq(seq(?)[0])[1]");
  ExpectError(Check("SequenceAt", 11, {Sequence{DType::kFloat, {kFloats, kInts}}, kInts}), kInvalid,
              "its elements must have one type");
}

TEST(CheckInputsTest, TellsOptionalsApartByWhatTheyHold) {
  const auto optional = [](Value value) {
    return Value(Optional{.element = std::make_shared<const Value>(std::move(value))});
  };
  EXPECT_TRUE(Check("OptionalGetElement", 15, {optional(Sequence{DType::kFloat, {}})}).ok());
  EXPECT_TRUE(Check("OptionalGetElement", 15, {Optional{}}).ok());
  ExpectError(Check("OptionalGetElement", 15, {kFloats}), kInvalid, "is float[1]");
  EXPECT_TRUE(Check("OptionalGetElement", 18, {kFloats}).ok());
  ExpectError(Check("OptionalGetElement", 18, {optional(optional(kFloats))}), kInvalid,
              "is optional(optional(float[1]))");
}

TEST(CheckInputsTest, KnowsKeysAndValuesOfMaps) {
  EXPECT_TRUE(Check("CastMap", 1, {MapOf(kInts, kFloats)}, "ai.onnx.ml").ok());
  ExpectError(Check("CastMap", 1, {MapOf(kFloats, kFloats)}, "ai.onnx.ml"), kInvalid,
              "allowed: map(int64,float), map(int64,string)");
  ExpectError(Check("CastMap", 1, {MapOf(kInts, kInts)}, "ai.onnx.ml"), kInvalid, "map(int64)[1]");
  ExpectError(Check("CastMap", 1, {kInts}, "ai.onnx.ml"), kInvalid, "is int64[1]");
}

TEST(CheckInputsTest, OneTypeVariableIsOneType) {
  ExpectError(Check("Add", 14, {kFloats, kInts}), kInvalid,
              "must have one type, not float and int64");
  ExpectError(Check("SequenceConstruct", 11, {kFloats, kFloats, kInts}), kInvalid,
              "must have one type, not float and int64");
  // Where the inputs need not be alike, they may be of any kinds.
  const Tensor trips = Tensor::Scalar<int64_t>(1);
  const Tensor condition = Tensor::Scalar(true);
  EXPECT_TRUE(Check("Loop", 16, {trips, condition, kFloats, Sequence{}, Optional{}, kInts}).ok());
  ExpectError(Check("Loop", 16, {trips, condition, MapOf(kInts, kFloats)}), kInvalid,
              "is map(int64)");
}

TEST(CheckFeedTest, LooksIntoSequencesAndOptionals) {
  const ValueInfo sequence{"s", *ParseType("seq(tensor(float))")};
  EXPECT_TRUE(CheckFeed(sequence, Sequence{DType::kFloat, {kFloats}}).ok());
  EXPECT_TRUE(CheckFeed(sequence, Sequence{}).ok());
  ExpectError(CheckFeed(sequence, kFloats), kInvalid, "a tensor does not fit");
  ExpectError(CheckFeed(sequence, Sequence{DType::kInt64, {kInts}}), kInvalid,
              "the element type differs");
  ExpectError(CheckFeed(sequence, Sequence{DType::kInt64, {kInts, kFloats}}), kInvalid,
              "must have one type");
  const ValueInfo optional{"o", *ParseType("optional(tensor(float))")};
  EXPECT_TRUE(CheckFeed(optional, Optional{}).ok());
  EXPECT_TRUE(CheckFeed(optional, kFloats).ok());
  ExpectError(CheckFeed(optional, kInts), kInvalid, "a tensor does not fit");
}

TEST(CheckNodeTest, AnOperatorMayTakeAnyAttribute) {
  OpRegistry registry;
  registry.AddSchema(MadeSchema("acme", "Foo", 1));
  registry.AddSchema(MadeSchema("acme", "Foo", 2)
                         .Attr(kAnyAttribute, "", onnx::AttributeProto::INT, /*required=*/false));
  Node node;
  node.op_type = "Foo";
  node.inputs = {"x"};
  node.outputs = {"y"};
  node.attributes.emplace("mode", std::string("up"));
  ExpectError(CheckNode(node, *registry.FindSchema("acme", "Foo", 1)), kInvalid,
              "has no attribute");
  const absl::Status any = CheckNode(node, *registry.FindSchema("acme", "Foo", 2));
  EXPECT_TRUE(any.ok()) << any;
}

}  // namespace
}  // namespace onnxcmp::testing
