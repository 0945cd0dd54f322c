#include "cli/batch/content_key.h"

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "cli/batch/batch_pair.h"
#include "onnx/onnx_pb.h"
#include "tests/cli/program.h"
#include "tests/support/load_test.h"

namespace onnxcmp::cli {
namespace {

using testing::ReadFile;
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

TEST_F(ContentKeyTest, ExternalDataCountWhateverAModelIsCalled) {
  constexpr char kText[] = R"(<ir_version: 9, opset_import: ["" : 20]>
g (float[1] x) => (float[1] y) <float[1] w = ["location": "weights.bin"]> { y = Add(x, w) })";
  onnx::ModelProto model;
  onnx::FunctionProto* function = model.add_functions();
  onnx::TensorProto* tensor = function->add_attribute_proto()->mutable_t();
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  onnx::StringStringEntryProto* entry = tensor->add_external_data();
  entry->set_key("location");
  entry->set_value("weights.bin");
  const std::string bytes = model.SerializeAsString();
  for (const auto& [name, content] : {std::pair<const char*, std::string>("m.onnxtxt", kText),
                                      {"m.onnxtext", kText},
                                      {"m.onnx", kText},
                                      {"m", bytes},
                                      {"m.pb", bytes}}) {
    pair_.left = folder_.Write(name, content);
    folder_.Write("weights.bin", "0123");
    const std::string key = Key();
    folder_.Write("weights.bin", "4567");
    EXPECT_NE(Key(), key) << name;
  }
}

TEST_F(ContentKeyTest, TheEndingCounts) {
  const std::string key = Key();
  // A model becomes an archive that cannot be read.
  pair_.left = folder_.Write("a.npz", "left");
  EXPECT_NE(Key(), key);
}

TEST_F(ContentKeyTest, FoldersBehindLinksCount) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_.Path("real/deep"));
  fs::create_directories(folder_.Path("in"));
  folder_.Write("real/deep/input_0.pb", "1");
  fs::create_directory_symlink(folder_.Path("real"), folder_.Path("in/test_data_set_0"));
  fs::create_directory_symlink(folder_.Path("in"), folder_.Path("in/around"));
  pair_.inputs = folder_.Path("in");
  const std::string key = Key();
  EXPECT_EQ(Key(), key);
  folder_.Write("real/deep/input_0.pb", "2");
  EXPECT_NE(Key(), key);
}

TEST_F(ContentKeyTest, AFileMayHaveTheTimeOfItsPredecessor) {
  namespace fs = std::filesystem;
  fs::last_write_time(pair_.left, fs::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string key = Key();
  const auto time = fs::last_write_time(pair_.left);
  folder_.Write("a.onnx", "LEFT");
  fs::last_write_time(pair_.left, time);
  EXPECT_NE(Key(), key);
}

TEST_F(ContentKeyTest, HashesOfFilesThatWereNotTouchedAreKept) {
  // A file that was there long before the test.
  const std::string old = "/bin/sh";
  const std::string cache = folder_.Path("hashes");
  ContentHashes hashes(cache);
  const std::string hash = hashes.OfPath(old);
  EXPECT_EQ(hash.size(), 32u);
  ASSERT_TRUE(hashes.Save().ok());
  std::string text = ReadFile(cache);
  ASSERT_NE(text.find(hash), std::string::npos);
  const std::string other(32, '0');
  folder_.Write("hashes", text.replace(text.find(hash), hash.size(), other));
  EXPECT_EQ(ContentHashes(cache).OfPath(old), other);
  // A damaged file of hashes is none.
  folder_.Write("hashes", "[\"x\", 1]\n{}\n]");
  EXPECT_EQ(ContentHashes(cache).OfPath(old), hash);
  EXPECT_NE(Key(), "");
}

TEST(HashOfProgramTest, IsThatOfAFile) { EXPECT_EQ(HashOfProgram().size(), 32u); }

}  // namespace
}  // namespace onnxcmp::cli
