#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Npy() { return testing::NpyOf(Tensor::Of<float>({1}, {1})); }

std::string Message(absl::string_view name) {
  onnx::TensorProto proto;
  EXPECT_TRUE(TensorToProto(Tensor::Of<float>({1}, {1}), name, &proto).ok());
  return proto.SerializeAsString();
}

class OpenRecordingTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.Path("f/" + name)).parent_path());
    folder_.Write("f/" + name, bytes);
  }
  std::vector<RecordedSet> Open() {
    auto sets = OpenRecording(folder_.Path("f"));
    EXPECT_TRUE(sets.ok()) << sets.status();
    return sets.ok() ? *std::move(sets) : std::vector<RecordedSet>();
  }
  std::string Error(const std::string& name = "f") {
    const auto sets = OpenRecording(folder_.Path(name));
    EXPECT_FALSE(sets.ok());
    EXPECT_THAT(sets.status().message(), HasSubstr(folder_.Path(name)));
    return std::string(sets.status().message());
  }
  std::vector<std::string> Lines(const RecordedSet& set) {
    std::vector<std::string> lines;
    for (const RecordedResult& result : set.values->results()) {
      lines.push_back(absl::StrCat(ResultKindName(result.kind), " ", result.name));
    }
    return lines;
  }

  testing::TestFolder folder_;
};

// What onnxruntime dumps, with the names that it cannot give to files.
TEST_F(OpenRecordingTest, MessagesWhateverTheyAreCalled) {
  Write("_encoder_Add_output_0.tensorproto", Message("/encoder/Add_output_0"));
  Write("x_Idx_0.tensorproto", Message("x"));
  Write("y.bin", Message(""));
  Write("z", Message("w/z"));
  const std::vector<RecordedSet> sets = Open();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_THAT(Lines(sets[0]),
              ElementsAre("RESULT /encoder/Add_output_0", "RESULT x", "RESULT y", "RESULT w/z"));
  EXPECT_THAT(sets[0].values->notes(), IsEmpty());
  for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(sets[0].values->ReadValue(i).ok());
}

// Nothing is passed over without a word.
TEST_F(OpenRecordingTest, WhatElseLiesThere) {
  Write("a.npy", Npy());
  Write("error_analysis.txt", "max error 0.1");
  Write("deeper/b.npy", Npy());
  Write("m.onnx", "");
  Write("more.npz", "PK\x05\x06");
  Write(".DS_Store", "x");
  const std::vector<RecordedSet> sets = Open();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_THAT(Lines(sets[0]), ElementsAre("RESULT a"));
  EXPECT_THAT(sets[0].values->notes(),
              AllOf(Contains(HasSubstr("error_analysis.txt")), Contains(HasSubstr("deeper")),
                    Contains(HasSubstr("m.onnx")), Contains(HasSubstr("more.npz")),
                    Not(Contains(HasSubstr("DS_Store")))));
}

TEST_F(OpenRecordingTest, DamagedOnesAreNotPassedOver) {
  Write("a.npy", Npy());
  Write("b.npy", Npy().substr(0, 70));
  Write("c.tensorproto", Message("c").substr(0, 5));
  std::filesystem::create_symlink(folder_.Path("f/none"), folder_.Path("f/d.npy"));
  const std::vector<RecordedSet> sets = Open();
  ASSERT_EQ(sets.size(), 1u);
  ASSERT_EQ(sets[0].values->results().size(), 4u);
  EXPECT_TRUE(sets[0].values->ReadValue(0).ok());
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(sets[0].values->ReadValue(i).ok()) << i;
}

TEST_F(OpenRecordingTest, FoldersOfSets) {
  Write("test_data_set_0/input_0.pb", Message("x"));
  Write("test_data_set_0/output_0.pb", Message("y"));
  Write("test_data_set_10/input_0.pb", Message("x"));
  Write("test_data_set_2/input_0.pb", Message("x"));
  const std::vector<RecordedSet> sets = Open();
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[1].name, "test_data_set_2");
  EXPECT_THAT(Lines(sets[0]), ElementsAre("INPUT x", "OUTPUT y"));
  // Beside a model they are its tests, and nobody says which side is meant.
  Write("model.onnx", "");
  EXPECT_THAT(Error(), AllOf(HasSubstr("model.onnx"), HasSubstr("test_data_set_0")));
}

TEST_F(OpenRecordingTest, FoldersWithoutValues) {
  std::filesystem::create_directory(folder_.Path("f"));
  EXPECT_THAT(Error(), HasSubstr("there are no .npy or .pb files"));
  Write("notes.txt", "hello");
  EXPECT_THAT(Error(), HasSubstr("notes.txt"));
  Write("cpu_dump/a.tensorproto", Message("a"));
  EXPECT_THAT(Error(), HasSubstr("cpu_dump"));
  Write("all.npz", "PK\x05\x06");
  EXPECT_THAT(Error(), HasSubstr("all.npz"));
  Write("a.onnx", "");
  onnx::ModelProto model;
  model.set_producer_name("tool");
  model.mutable_graph()->set_name("g");
  Write("b", model.SerializeAsString());
  EXPECT_THAT(Error(), AllOf(HasSubstr("holds models"), HasSubstr("a.onnx, b")));
}

TEST_F(OpenRecordingTest, WhatHoldsNoValues) {
  folder_.Write("a.pth", "\x80\x02\x8a\nl\xfc\x9c");
  EXPECT_THAT(Error("a.pth"), AllOf(HasSubstr("pickle"), HasSubstr("docs/recording.md")));
  folder_.Write("b.txt", "1 2 3");
  EXPECT_THAT(Error("b.txt"), HasSubstr("holds no values"));
  EXPECT_THAT(Error("none.npz"), Not(IsEmpty()));
  EXPECT_THAT(Error("none"), HasSubstr("no such file"));
}

}  // namespace
}  // namespace onnxcmp
