#include "cli/batch/content_key.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cli/batch/batch_pair.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"

namespace onnxcmp::cli {
namespace {

using testing::TestFolder;

class ContentKeyTest : public ::testing::Test {
 protected:
  std::string Key() {
    ContentHashes hashes(folder_.Path("hashes"));
    const PairKey key = KeyOfPair(pair_, program_, &hashes);
    bytes_ = key.bytes;
    EXPECT_TRUE(hashes.Save().ok());
    return key.key;
  }

  const TestFolder folder_;
  BatchPair pair_ = [this] {
    BatchPair pair;
    pair.left = folder_.Write("a.onnx", "left");
    std::filesystem::create_directories(folder_.Path("b"));
    pair.right = folder_.Write("b/b.onnx", "right!");
    return pair;
  }();
  std::string program_ = "onnxcmp 1";
  int64_t bytes_ = 0;
};

TEST_F(ContentKeyTest, ChangesWithWhatAComparisonReads) {
  const std::string key = Key();
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(bytes_, 10);
  EXPECT_EQ(Key(), key);
  // Neither a name nor a place is read.
  pair_.name = "other";
  pair_.tags = {"tag"};
  pair_.left = folder_.Write("moved.onnx", "left");
  EXPECT_EQ(Key(), key);
  folder_.Write("moved.onnx", "Left");
  const std::string changed = Key();
  EXPECT_NE(changed, key);
  program_ = "onnxcmp 2";
  EXPECT_NE(Key(), changed);
  program_ = "onnxcmp 1";
  pair_.options = {"--rtol", "1e-3"};
  const std::string with_option = Key();
  EXPECT_NE(with_option, changed);
  pair_.options = {"--rtol 1e-3"};
  EXPECT_NE(Key(), with_option);
}

TEST_F(ContentKeyTest, InputsCount) {
  pair_.inputs = folder_.Write("in.npz", "1");
  const std::string key = Key();
  folder_.Write("in.npz", "2");
  EXPECT_NE(Key(), key);
  // And those beside the models, which a comparison finds by itself.
  pair_.inputs = "";
  pair_.right = folder_.Write("b.onnx", "right!");
  const std::string beside = Key();
  std::filesystem::create_directories(folder_.Path("test_data_set_0"));
  folder_.Write("test_data_set_0/input_0.pb", "1");
  const std::string with_data = Key();
  EXPECT_NE(with_data, beside);
  folder_.Write("test_data_set_0/input_0.pb", "2");
  EXPECT_NE(Key(), with_data);
}

TEST_F(ContentKeyTest, ExternalDataCount) {
  onnx::ModelProto model;
  onnx::TensorProto* tensor = model.mutable_graph()->add_initializer();
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto* entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  folder_.Write("a.onnx", model.SerializeAsString());
  folder_.Write("weights.bin", "0123456789");
  const std::string key = Key();
  const int64_t bytes = bytes_;
  folder_.Write("weights.bin", "0123456789+");
  EXPECT_NE(Key(), key);
  EXPECT_EQ(bytes_, bytes + 1);
}

TEST_F(ContentKeyTest, HashesOfFilesThatWereNotTouchedAreKept) {
  namespace fs = std::filesystem;
  fs::last_write_time(pair_.left, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string key = Key();
  const auto time = fs::last_write_time(pair_.left);
  // The same size and time: it is not read again. Nobody does so by accident.
  folder_.Write("a.onnx", "LEFT");
  fs::last_write_time(pair_.left, time);
  EXPECT_EQ(Key(), key);
  fs::last_write_time(pair_.left, time + std::chrono::seconds(1));
  EXPECT_NE(Key(), key);
  // A damaged file of hashes is none.
  folder_.Write("hashes", "[\"x\", 1]\n{}\n]");
  EXPECT_NE(Key(), "");
}

TEST(HashOfProgramTest, IsThatOfAFile) { EXPECT_EQ(HashOfProgram().size(), 32u); }

}  // namespace
}  // namespace onnxcmp::cli
