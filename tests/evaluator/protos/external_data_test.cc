#include <sys/stat.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::ExpectError;
using testing::Registry;
using testing::TestFolder;

// 16 bytes from `offset` on, as a model's only initializer.
std::string ModelWithData(const std::string& location, const std::string& more = "") {
  return absl::StrCat(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[4] x) => (float[4] y) <float[4] w = [\"location\": \"",
      location, "\"", more, "]> { y = Add (x, w) }");
}

const std::string& SixteenFloats() {
  static const std::string* const kBytes = new std::string(64, '\1');
  return *kBytes;
}

class ExternalDataTest : public ::testing::Test {
 protected:
  absl::Status Load(const std::string& location, const std::string& more = "") {
    std::string path = folder_.Write("model.onnxtxt", ModelWithData(location, more));
    return LoadModel(path, Registry()).status();
  }
  void ExpectRefused(const absl::Status& status, const std::string& part) {
    ExpectError(status, absl::StatusCode::kInvalidArgument, part);
  }
  TestFolder folder_;
};

TEST_F(ExternalDataTest, IsMappedAndBorrowed) {
  folder_.Write("sub/w.bin", SixteenFloats());
  std::string path = folder_.Write(
      "model.onnxtxt", ModelWithData("sub/w.bin", ", \"offset\": \"16\", \"length\": \"16\""));
  testing::LoadedModel model = LoadModel(path, Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  const Tensor& w = (*model)->graph.initializers[0].value.tensor();
  EXPECT_TRUE(w.buffer()->borrowed());
  EXPECT_EQ(w.data<uint8_t>()[0], 1);
}

TEST_F(ExternalDataTest, LinksAtThePlaceAreFollowed) {
  // As model hubs' caches lie: snapshots/x/model.onnx -> ../../blobs/aaa, and its data beside it.
  folder_.Write("blobs/aaa", ModelWithData("model.onnx.data"));
  folder_.Write("blobs/bbb", SixteenFloats().substr(0, 16));
  std::filesystem::create_directories(folder_.Path("snapshots/x"));
  std::filesystem::create_symlink("../../blobs/aaa", folder_.Path("snapshots/x/model.onnx"));
  std::filesystem::create_symlink("../../blobs/bbb", folder_.Path("snapshots/x/model.onnx.data"));
  testing::LoadedModel model = LoadModel(folder_.Path("snapshots/x/model.onnx"), Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE((*model)->notes.empty());

  std::filesystem::create_hard_link(folder_.Path("blobs/bbb"), folder_.Path("hard"));
  EXPECT_TRUE(Load("hard").ok());
}

TEST_F(ExternalDataTest, LinksOutOfTheFolderAreFollowedOnDemand) {
  folder_.Write("secret", SixteenFloats().substr(0, 16));
  folder_.Write("m/inside", SixteenFloats().substr(0, 16));
  const std::string path = folder_.Write("m/model.onnxtxt", ModelWithData("w"));
  LoadOptions follow;
  follow.follow_links = true;
  for (const std::string& target : {folder_.Path("secret"), std::string("../secret")}) {
    std::filesystem::remove(folder_.Path("m/w"));
    std::filesystem::create_symlink(target, folder_.Path("m/w"));
    ExpectError(LoadModel(path, Registry()).status(), absl::StatusCode::kPermissionDenied,
                "location 'w' is a link out of the model's folder");
    EXPECT_TRUE(LoadModel(path, Registry(), follow).ok());
  }
  std::filesystem::remove(folder_.Path("m/w"));
  std::filesystem::create_symlink("inside", folder_.Path("m/w"));
  EXPECT_TRUE(LoadModel(path, Registry()).ok());
  // A folder on the way.
  std::filesystem::create_directory_symlink("..", folder_.Path("m/up"));
  const std::string up = folder_.Write("m/up.onnxtxt", ModelWithData("up/secret"));
  ExpectError(LoadModel(up, Registry()).status(), absl::StatusCode::kPermissionDenied,
              "is a link out of the model's folder");
}

TEST_F(ExternalDataTest, StaysInsideTheFolder) {
  folder_.Write("secret", SixteenFloats().substr(0, 16));
  std::string inner = folder_.Write("m/model.onnxtxt", ModelWithData("../secret"));
  ExpectRefused(LoadModel(inner, Registry()).status(), "leads out of the model's folder");
  std::filesystem::create_directories(folder_.Path("a"));
  ExpectRefused(Load("a/../secret"), "leads out of the model's folder");
  ExpectRefused(Load(folder_.Path("secret")), "is absolute");
  ExpectRefused(Load(""), "is not a file name");
}

TEST_F(ExternalDataTest, MustBeARegularFile) {
  ExpectRefused(Load("missing"), "No such file");
  ExpectRefused(Load("."), "it is a folder");
  ASSERT_EQ(mkfifo(folder_.Path("pipe").c_str(), 0600), 0);
  ExpectRefused(Load("pipe"), "it is not a regular file");
}

TEST_F(ExternalDataTest, RangesAreChecked) {
  folder_.Write("w", SixteenFloats());
  EXPECT_TRUE(Load("w", ", \"offset\": \"48\"").ok());
  ExpectRefused(Load("w", ", \"offset\": \"52\""), "bytes 52 + 16 of 'w', which has 64 bytes");
  ExpectRefused(Load("w", ", \"offset\": \"9223372036854775807\""), "which has 64 bytes");
  ExpectRefused(Load("w", ", \"offset\": \"99999999999999999999\""), "is no size");
  ExpectRefused(Load("w", ", \"offset\": \"-4\""), "is no size");
  ExpectRefused(Load("w", ", \"length\": \"12\""), "it holds 12 bytes where float[4] needs 16");
  folder_.Write("empty", "");
  ExpectRefused(Load("empty"), "which has 0 bytes");
}

TEST_F(ExternalDataTest, NeedsAFolder) {
  ExpectRefused(LoadModelFromText(ModelWithData("w"), Registry()).status(),
                "the model is not in a folder");
}

TEST_F(ExternalDataTest, LiesBeyondTwoGigabytes) {
  // A hole in the file takes no room on the disk.
  folder_.Write("big", "");
  std::error_code error;
  std::filesystem::resize_file(folder_.Path("big"), (int64_t{1} << 32) + 16, error);
  if (error) GTEST_SKIP() << error.message();
  EXPECT_TRUE(Load("big", ", \"offset\": \"4294967296\"").ok());
}

}  // namespace
}  // namespace onnxcmp
