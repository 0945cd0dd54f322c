#include "record/recordings/file_form.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/value_message.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;

class FileFormTest : public ::testing::Test {
 protected:
  FileForm Of(const std::string& name, const std::string& bytes) {
    return FormOf(folder_.Write(name, bytes));
  }
  testing::TestFolder folder_;
};

std::string TensorBytes(const std::string& name) {
  onnx::TensorProto proto;
  EXPECT_TRUE(TensorToProto(Tensor::Of<float>({2}, {1, 2}), name, &proto).ok());
  return proto.SerializeAsString();
}

std::string ModelBytes(const std::string& producer) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  if (!producer.empty()) model.set_producer_name(producer);
  model.mutable_graph()->set_name("g");
  model.add_opset_import()->set_version(17);
  return model.SerializeAsString();
}

// Whatever it is called.
TEST_F(FileFormTest, ValuesAreToldByTheirFields) {
  for (const char* name : {"a.tensorproto", "a.pb", "a.bin", "a", "a.onnx"}) {
    EXPECT_EQ(Of(name, TensorBytes("/encoder/Add_output_0")), FileForm::kMessage) << name;
    EXPECT_EQ(Of(name, TensorBytes("")), FileForm::kMessage) << name;
    EXPECT_EQ(Of(name, TensorBytes(std::string(0x20, '{'))), FileForm::kMessage) << name;
  }
  onnx::SequenceProto sequence;
  sequence.set_name("s");
  sequence.set_elem_type(onnx::SequenceProto::TENSOR);
  sequence.add_tensor_values()->ParseFromString(TensorBytes(""));
  EXPECT_EQ(Of("s", sequence.SerializeAsString()), FileForm::kMessage);
}

TEST_F(FileFormTest, ModelsStayModels) {
  for (const char* producer : {"", "pytorch", "ORTModule", "TFL3", "ftrt", "GGUF"}) {
    EXPECT_EQ(Of("m", ModelBytes(producer)), FileForm::kModel) << producer;
    EXPECT_EQ(KindOfMessage(ModelBytes(producer)), MessageKind::kModel) << producer;
  }
  EXPECT_EQ(Of("m.onnxtxt", "<ir_version: 8> g (float x) => (float y) { y = Neg(x) }"),
            FileForm::kModel);
  EXPECT_EQ(Of("m", "# a comment\n<ir_version: 8>"), FileForm::kModel);
  EXPECT_EQ(Of("m", ""), FileForm::kModel);
}

// What merely resembles a message of a value.
TEST_F(FileFormTest, OtherBytesAreNoValues) {
  std::string cut = TensorBytes("name");
  cut.pop_back();
  EXPECT_EQ(KindOfMessage(cut), MessageKind::kNone);
  EXPECT_EQ(KindOfMessage("Some notes on the run.\n"), MessageKind::kNone);
  EXPECT_EQ(KindOfMessage("\x10\x01"), MessageKind::kNone);  // a type and nothing else
  EXPECT_EQ(KindOfMessage("\x10\xff\xff\x03J\x01x"), MessageKind::kNone);  // a type of 65535
  EXPECT_EQ(KindOfMessage(""), MessageKind::kNone);
  EXPECT_EQ(Of("notes.txt", "10 20 30"), FileForm::kModel);
}

TEST_F(FileFormTest, Json) {
  EXPECT_EQ(Of("a", " \n[{}]"), FileForm::kJson);
  EXPECT_EQ(Of("a", "\xef\xbb\xbf{\"a\": 1}"), FileForm::kJson);
  EXPECT_EQ(Of("a.json", "oops"), FileForm::kJson);
}

TEST_F(FileFormTest, WhatIsTakenForARecordingByMistake) {
  const auto words = [&](const std::string& bytes) {
    const std::string path = folder_.Write("f.pt", bytes);
    EXPECT_EQ(FormOf(path), FileForm::kForeign) << bytes;
    return WordsForForeign(path);
  };
  EXPECT_THAT(words("\x80\x02\x8a\nl\xfc\x9c"), HasSubstr("pickle"));
  EXPECT_THAT(words("\x80\x04\x95"), HasSubstr("pickle"));
  EXPECT_THAT(words("\x89HDF\r\n\x1a\n...."), HasSubstr("HDF5"));
  EXPECT_THAT(words(std::string("\x1c\0\0\0TFL3rest", 12)), HasSubstr("TensorFlow Lite"));
  EXPECT_THAT(words(std::string("\x08\0\0\0ORTMrest", 12)), HasSubstr("onnxruntime"));
  EXPECT_THAT(words("ftrt...."), HasSubstr("TensorRT"));
  EXPECT_THAT(words("GGUF...."), HasSubstr("GGUF"));
  EXPECT_THAT(words("\x1f\x8b\x08"), HasSubstr("gzip"));
  EXPECT_THAT(words(std::string(257, 'x') + "ustar"), HasSubstr("tar"));
}

// The length of its header may begin as a pickle does, or as gzip.
TEST_F(FileFormTest, SafetensorsOfAnyLength) {
  EXPECT_EQ(Of("a", std::string("\x80\x02\0\0\0\0\0\0{\"", 10)), FileForm::kSafetensors);
  EXPECT_EQ(Of("a", std::string("\x1f\x8b\0\0\0\0\0\0{\"", 10)), FileForm::kSafetensors);
}

TEST_F(FileFormTest, WhatIsNoFile) {
  EXPECT_EQ(FormOf(folder_.Path("none")), FileForm::kModel);
  std::filesystem::create_symlink(folder_.Path("b"), folder_.Path("a"));
  std::filesystem::create_symlink(folder_.Path("a"), folder_.Path("b"));
  EXPECT_EQ(FormOf(folder_.Path("a")), FileForm::kModel);
  EXPECT_EQ(FormOf(folder_.Path("")), FileForm::kFolder);
}

}  // namespace
}  // namespace onnxcmp
