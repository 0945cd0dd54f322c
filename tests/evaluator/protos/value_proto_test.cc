#include "evaluator/protos/tensor_proto.h"
#include "gtest/gtest.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::ExpectSameBits;
using testing::TestFolder;

Value FloatSequence() {
  Sequence sequence;
  sequence.element_dtype = DType::kFloat;
  sequence.elements = {Tensor::Of<float>({2}, {1, 2}), Tensor::Of<float>({1}, {3})};
  return sequence;
}

TEST(ValueProtoTest, SequencesSurviveARoundTrip) {
  onnx::SequenceProto proto;
  ASSERT_TRUE(SequenceToProto(FloatSequence(), "s", &proto).ok());
  absl::StatusOr<Value> value = SequenceFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->sequence().element_dtype, DType::kFloat);
  ASSERT_EQ(value->sequence().elements.size(), 2u);
  ExpectSameBits(value->sequence().elements[1].tensor(), Tensor::Of<float>({1}, {3}));

  Sequence nested;
  nested.elements = {FloatSequence(), Sequence()};
  ASSERT_TRUE(SequenceToProto(Value(nested), "n", &proto).ok());
  value = SequenceFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->sequence().elements[0].sequence().elements.size(), 2u);
  EXPECT_TRUE(value->sequence().elements[1].sequence().elements.empty());
}

TEST(ValueProtoTest, SequencesOfUnlikeValuesCannotBeWritten) {
  Sequence mixed;
  mixed.elements = {Tensor::Scalar(1.0f), FloatSequence()};
  onnx::SequenceProto proto;
  ExpectError(SequenceToProto(Value(mixed), "m", &proto), absl::StatusCode::kInvalidArgument,
              "unlike values");
}

TEST(ValueProtoTest, OptionalsSurviveARoundTrip) {
  Optional held;
  held.element = std::make_shared<const Value>(Tensor::Scalar(int64_t{7}));
  onnx::OptionalProto proto;
  ASSERT_TRUE(OptionalToProto(Value(held), "o", &proto).ok());
  absl::StatusOr<Value> value = OptionalFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->optional().element_dtype, DType::kInt64);
  ExpectSameBits(value->optional().element->tensor(), Tensor::Scalar(int64_t{7}));

  ASSERT_TRUE(OptionalToProto(Value(Optional()), "o", &proto).ok());
  value = OptionalFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->optional().element, nullptr);
}

TEST(ValueProtoTest, MapsOfScalarsAreTensors) {
  Map map;
  map.keys = Tensor::Of<std::string>({2}, {"a", "b"});
  map.values = std::make_shared<const Value>(Tensor::Of<float>({2}, {1, 2}));
  onnx::MapProto proto;
  ASSERT_TRUE(MapToProto(Value(map), "m", &proto).ok());
  EXPECT_EQ(proto.string_keys(1), "b");
  absl::StatusOr<Value> value = MapFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  ExpectSameBits(value->map().keys, map.keys);
  ExpectSameBits(value->map().values->tensor(), map.values->tensor());
}

// Arrays of one element stand for scalars.
TEST(ValueProtoTest, MapsOfOneElementArraysAreTensors) {
  onnx::MapProto proto;
  proto.set_key_type(onnx::TensorProto::STRING);
  proto.add_string_keys("a");
  proto.mutable_values()->set_elem_type(onnx::SequenceProto::TENSOR);
  ASSERT_TRUE(
      TensorToProto(Tensor::Of<float>({1}, {1.5f}), "", proto.mutable_values()->add_tensor_values())
          .ok());
  const absl::StatusOr<Value> value = MapFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  ExpectSameBits(value->map().values->tensor(), Tensor::Of<float>({1}, {1.5f}));
}

// A message of no values does not say their type; the declared type does, in sequences too.
TEST(ValueProtoTest, EmptyMapsHaveTheDeclaredType) {
  TypeInfo type;
  type.kind = TypeInfo::Kind::kSequence;
  TypeInfo map_type;
  map_type.kind = TypeInfo::Kind::kMap;
  map_type.dtype = DType::kString;
  TypeInfo scalar;
  scalar.kind = TypeInfo::Kind::kTensor;
  scalar.dtype = DType::kFloat;
  map_type.element = std::make_shared<const TypeInfo>(scalar);
  type.element = std::make_shared<const TypeInfo>(map_type);
  onnx::SequenceProto proto;
  proto.set_elem_type(onnx::SequenceProto::MAP);
  proto.add_map_values()->set_key_type(onnx::TensorProto::STRING);
  const TestFolder folder;
  folder.Write("0.pb", proto.SerializeAsString());
  const absl::StatusOr<Value> value = ReadValueFile(folder.Path("0.pb"), type);
  ASSERT_TRUE(value.ok()) << value.status();
  const Map& map = value->sequence().elements.at(0).map();
  ExpectSameBits(map.values->tensor(), Tensor::Of<float>({0}, {}));
}

TEST(ValueProtoTest, MapsOfOtherValuesAreSequences) {
  Map map;
  map.keys = Tensor::Of<int64_t>({2}, {-1, 5});
  map.values = std::make_shared<const Value>(FloatSequence());
  onnx::MapProto proto;
  ASSERT_TRUE(MapToProto(Value(map), "m", &proto).ok());
  absl::StatusOr<Value> value = MapFromProto(proto);
  ASSERT_TRUE(value.ok()) << value.status();
  ExpectSameBits(value->map().keys, map.keys);
  EXPECT_EQ(value->map().values->sequence().elements.size(), 2u);
}

TEST(ValueProtoTest, MapsThatContradictAreRefused) {
  onnx::MapProto proto;
  proto.set_key_type(onnx::TensorProto::INT8);
  proto.add_keys(200);
  ExpectError(MapFromProto(proto).status(), absl::StatusCode::kInvalidArgument,
              "map key 200 does not fit into int8");
  proto.set_key_type(onnx::TensorProto::INT64);
  ExpectError(MapFromProto(proto).status(), absl::StatusCode::kInvalidArgument,
              "has 1 keys and 0 values");
  proto.set_key_type(onnx::TensorProto::FLOAT);
  ExpectError(MapFromProto(proto).status(), absl::StatusCode::kInvalidArgument, "keys of type 1");
}

TEST(TypeFromProtoTest, KeepsNumbersSymbolsAndWhatIsUnknown) {
  onnx::TypeProto proto;
  auto* tensor = proto.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT16);
  tensor->mutable_shape()->add_dim()->set_dim_value(3);
  tensor->mutable_shape()->add_dim()->set_dim_param("batch");
  tensor->mutable_shape()->add_dim();
  tensor->mutable_shape()->add_dim()->set_dim_value(-1);
  TypeInfo type = TypeFromProto(proto);
  EXPECT_EQ(type.kind, TypeInfo::Kind::kSequence);
  ASSERT_NE(type.element, nullptr);
  EXPECT_EQ(type.element->dtype, DType::kFloat16);
  ASSERT_TRUE(type.element->shape.has_value());
  const std::vector<TypeInfo::Dim>& dims = *type.element->shape;
  ASSERT_EQ(dims.size(), 4u);
  EXPECT_EQ(dims[0].value, 3);
  EXPECT_EQ(dims[1].symbol, "batch");
  EXPECT_FALSE(dims[2].value.has_value());
  EXPECT_FALSE(dims[3].value.has_value());

  onnx::TypeProto map;
  map.mutable_map_type()->set_key_type(onnx::TensorProto::STRING);
  map.mutable_map_type()->mutable_value_type()->mutable_tensor_type()->set_elem_type(1);
  EXPECT_EQ(TypeFromProto(map).dtype, DType::kString);
  EXPECT_FALSE(TypeFromProto(map).element->shape.has_value());
  EXPECT_EQ(TypeFromProto(onnx::TypeProto()).kind, TypeInfo::Kind::kUnknown);
}

TEST(ReadValueFileTest, TheTypeSaysWhichMessageItIs) {
  testing::TestFolder folder;
  onnx::SequenceProto sequence;
  ASSERT_TRUE(SequenceToProto(FloatSequence(), "s", &sequence).ok());
  TypeInfo type;
  type.kind = TypeInfo::Kind::kSequence;
  absl::StatusOr<Value> value =
      ReadValueFile(folder.Write("s.pb", sequence.SerializeAsString()), type);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(value->is_sequence());

  onnx::TensorProto tensor;
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(2.0f), "t", &tensor).ok());
  value = ReadValueFile(folder.Write("t.pb", tensor.SerializeAsString()), TypeInfo());
  ASSERT_TRUE(value.ok()) << value.status();
  ExpectSameBits(value->tensor(), Tensor::Scalar(2.0f));
}

TEST(ReadValueFileTest, ErrorsNameTheFile) {
  testing::TestFolder folder;
  ExpectError(ReadValueFile(folder.Write("bad.pb", "\xff\xff"), TypeInfo()).status(),
              absl::StatusCode::kInvalidArgument, "bad.pb: it is no message");
  ExpectError(ReadValueFile(folder.Path("none.pb"), TypeInfo()).status(),
              absl::StatusCode::kInvalidArgument, "none.pb");
}

}  // namespace
}  // namespace onnxcmp
