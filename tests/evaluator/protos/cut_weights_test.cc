// A model without its weights parses to what the whole model parses to.
#include "evaluator/protos/cut_weights.h"

#include <memory>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// 32 bytes with a placeholder's length in them would not be worth a cut: tensors here have 64.
constexpr size_t kLeast = 64;

std::string Weights(char letter) { return std::string(kLeast, letter); }

void SetTensor(const std::string& name, onnx::TensorProto::DataType type, const std::string& data,
               onnx::TensorProto* tensor) {
  tensor->set_name(name);
  tensor->set_data_type(type);
  tensor->add_dims(static_cast<int64_t>(data.size()));
  tensor->set_raw_data(data);
}

onnx::AttributeProto* AddConstant(char letter, onnx::NodeProto* node) {
  node->set_op_type("Constant");
  node->add_output(std::string(1, letter));
  onnx::AttributeProto* attribute = node->add_attribute();
  attribute->set_name("value");
  attribute->set_type(onnx::AttributeProto::TENSOR);
  SetTensor("", onnx::TensorProto::UINT8, Weights(letter), attribute->mutable_t());
  return attribute;
}

// Weights everywhere: initializers, attributes, subgraphs, functions.
onnx::ModelProto Model() {
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.set_producer_name(Weights('p'));
  onnx::GraphProto* graph = model.mutable_graph();
  graph->set_name("g");
  SetTensor("a", onnx::TensorProto::UINT8, Weights('a'), graph->add_initializer());
  SetTensor("b", onnx::TensorProto::INT4, Weights('b'), graph->add_initializer());
  SetTensor("s", onnx::TensorProto::UINT8, "small", graph->add_initializer());
  AddConstant('c', graph->add_node());
  onnx::NodeProto* choice = graph->add_node();
  choice->set_op_type("If");
  onnx::AttributeProto* branch = choice->add_attribute();
  branch->set_name("then_branch");
  branch->set_type(onnx::AttributeProto::GRAPH);
  AddConstant('d', branch->mutable_g()->add_node());
  SetTensor("e", onnx::TensorProto::UINT8, Weights('e'), branch->mutable_g()->add_initializer());
  onnx::FunctionProto* function = model.add_functions();
  function->set_name("f");
  AddConstant('h', function->add_node());
  return model;
}

// Puts back what was cut out.
void Restore(const CutModel& cut, google::protobuf::Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const auto* field : fields) {
    if (field->name() == "raw_data") {
      const auto number = CutNumber(reflection.GetString(*message, field));
      if (!number.has_value()) continue;
      ASSERT_LT(*number, cut.weights.size());
      reflection.SetString(message, field, std::string(cut.weights[*number]));
    }
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) Restore(cut, reflection.MutableMessage(message, field));
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(*message, field); ++i) {
      Restore(cut, reflection.MutableRepeatedMessage(message, field, i));
    }
  }
}

// Parses both ways and compares. The number of weights that were cut; -1 if it was left alone.
int CutAndCompare(const std::string& bytes) {
  const std::optional<CutModel> cut = CutWeights(bytes, kLeast);
  if (!cut.has_value()) return -1;
  onnx::ModelProto whole, rest;
  const bool parses = whole.ParseFromString(bytes);
  EXPECT_EQ(rest.ParseFromString(cut->message), parses);
  if (!parses) return -1;
  Restore(*cut, &rest);
  EXPECT_EQ(rest.SerializeAsString(), whole.SerializeAsString());
  return static_cast<int>(cut->weights.size());
}

// A field with a length, the length written with more bytes than it takes.
std::string LongField(int number, const std::string& bytes) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  for (int i = 0; i < 4; ++i) {
    text.push_back(static_cast<char>((bytes.size() >> (7 * i) & 0x7f) | 0x80));
  }
  text.push_back('\0');
  return text + bytes;
}

TEST(CutWeightsTest, InitializersAttributesSubgraphsAndFunctions) {
  EXPECT_EQ(CutAndCompare(Model().SerializeAsString()), 6);
}

TEST(CutWeightsTest, WeightsLieWhereTheyLay) {
  const std::string bytes = Model().SerializeAsString();
  const auto cut = CutWeights(bytes, kLeast);
  ASSERT_TRUE(cut.has_value());
  for (const absl::string_view weights : cut->weights) {
    EXPECT_GE(weights.data(), bytes.data());
    EXPECT_LE(weights.data() + weights.size(), bytes.data() + bytes.size());
  }
  EXPECT_LT(cut->message.size(), bytes.size());
}

TEST(CutWeightsTest, WhatIsGivenTwice) {
  const onnx::ModelProto model = Model();
  const std::string bytes = model.SerializeAsString();
  // Graphs are merged.
  EXPECT_EQ(CutAndCompare(absl::StrCat(bytes, bytes)), 12);
  // The last raw_data counts, whether it is large or small.
  for (const std::string& last : {Weights('z'), std::string("small")}) {
    onnx::TensorProto again;
    again.set_raw_data(last);
    const std::string tensor =
        model.graph().initializer(0).SerializeAsString() + again.SerializeAsString();
    EXPECT_GE(CutAndCompare(LongField(7, LongField(5, tensor))), 1);
  }
  // Tensors of an attribute are merged.
  const std::string value = model.graph().node(0).attribute(0).SerializeAsString();
  EXPECT_EQ(CutAndCompare(LongField(7, LongField(1, LongField(5, value)))), 1);
  EXPECT_EQ(CutAndCompare(LongField(7, LongField(1, LongField(5, value + value)))), 2);
}

TEST(CutWeightsTest, FieldsOfAnyKindAndLength) {
  const std::string bytes = Model().SerializeAsString();
  const std::string graph = Model().graph().SerializeAsString();
  EXPECT_EQ(CutAndCompare(LongField(7, graph)), 5);
  // Unknown ones: a varint of ten bytes, 8 bytes, 4 bytes, a graph's number with another type.
  EXPECT_EQ(CutAndCompare("\xf8\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + bytes), 6);
  EXPECT_EQ(CutAndCompare("\xf9\x01" + std::string("12345678") + bytes), 6);
  EXPECT_EQ(CutAndCompare("\xfd\x01" + std::string("1234") + bytes), 6);
  EXPECT_EQ(CutAndCompare("\x38\x05" + bytes), 6);
  // A group is left to the parser, and so is what no parser takes.
  EXPECT_EQ(CutAndCompare("\xfb\x01\x08\x01\xfc\x01" + bytes), -1);
  EXPECT_EQ(CutAndCompare(std::string("\x00", 1) + bytes), -1);
  EXPECT_EQ(CutAndCompare(bytes.substr(0, bytes.size() - 1)), -1);
}

TEST(CutWeightsTest, NothingPassesForAPlaceholder) {
  onnx::ModelProto model = Model();
  const std::string bytes = model.SerializeAsString();
  const auto cut = CutWeights(bytes, kLeast);
  ASSERT_TRUE(cut.has_value());
  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(cut->message));
  const std::string placeholder = parsed.graph().initializer(0).raw_data();
  ASSERT_TRUE(CutNumber(placeholder).has_value());
  EXPECT_EQ(cut->weights[*CutNumber(placeholder)], Weights('a'));
  EXPECT_EQ(CutNumber(placeholder + "x"), std::nullopt);
  EXPECT_EQ(CutNumber(""), std::nullopt);
  model.mutable_graph()->mutable_initializer(2)->set_raw_data(placeholder);
  EXPECT_FALSE(CutWeights(model.SerializeAsString(), kLeast).has_value());
}

TEST(CutWeightsTest, LittleIsNotCut) {
  onnx::ModelProto model = Model();
  model.set_doc_string(std::string(10000, 'd'));
  EXPECT_FALSE(CutWeights(model.SerializeAsString(), kLeast).has_value());
  EXPECT_FALSE(CutWeights("", kLeast).has_value());
}

TEST(CutWeightsTest, DamagedModels) {
  const std::string whole = Model().SerializeAsString();
  std::mt19937 random(1);
  int cut = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = whole;
    const size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes.erase(at, 1 + random() % 40);
        break;
      case 1:
        bytes.insert(at, whole.substr(random() % whole.size(), 1 + random() % 200));
        break;
      default:
        for (size_t changes = 1 + random() % 3; changes > 0; --changes) {
          bytes[random() % bytes.size()] = static_cast<char>(random());
        }
    }
    if (CutAndCompare(bytes) >= 0) ++cut;
  }
  EXPECT_GT(cut, 2000);
}

}  // namespace
}  // namespace onnxcmp
