// Weights that two models hold alike are there once.
#include "evaluator/tensor/shared_weights.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "gtest/gtest.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Registry;
using testing::TestFolder;

constexpr int64_t kFloats = 4096;
constexpr int64_t kBytes = kFloats * 4;

// Bytes, none of which is what it is elsewhere.
std::string Bytes(int64_t size, int seed) {
  std::string bytes(static_cast<size_t>(size), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 31 + i / 256 + static_cast<size_t>(seed));
  }
  return bytes;
}

class SharedWeightsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Buffer> Take(const std::string& path, int64_t offset, int64_t size,
                               uintptr_t alignment) {
    const auto file = weights_.Open(path);
    EXPECT_TRUE(file.ok()) << file.status();
    auto buffer = weights_.Take({*file, offset, size}, alignment);
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*buffer)->data()) % alignment, 0U);
    EXPECT_EQ(absl::string_view(reinterpret_cast<const char*>((*buffer)->data()),
                                static_cast<size_t>((*buffer)->size())),
              (*file)->bytes().substr(static_cast<size_t>(offset), static_cast<size_t>(size)));
    return *buffer;
  }

  TestFolder folder_;
  SharedWeights weights_;
};

TEST_F(SharedWeightsTest, FilesAreOpenedOnce) {
  const std::string path = folder_.Write("a", "bytes");
  std::filesystem::create_symlink(path, folder_.Path("link"));
  EXPECT_EQ(*weights_.Open(path), *weights_.Open(folder_.Path("link")));
  EXPECT_NE(*weights_.Open(path), *weights_.Open(folder_.Write("b", "bytes")));
  EXPECT_FALSE(weights_.Open(folder_.Path("missing")).ok());
  const auto before = *weights_.Open(path);
  std::filesystem::remove(path);
  folder_.Write("a", "other");
  EXPECT_NE(before, *weights_.Open(path));
}

TEST_F(SharedWeightsTest, AFileThatChangesIsNamed) {
  const std::string path = folder_.Write("a", "bytes");
  const auto open = weights_.Open(path);
  ASSERT_TRUE(weights_.Open(folder_.Write("b", "bytes")).ok());
  EXPECT_TRUE(weights_.CheckUnchanged().ok());
  // The same size, in place, a moment later.
  const auto before = std::filesystem::last_write_time(path);
  folder_.Write("a", "other");
  std::filesystem::last_write_time(path, before + std::chrono::milliseconds(10));
  const absl::Status changed = weights_.CheckUnchanged();
  EXPECT_EQ(changed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(changed.message().find("/a' was written to"), absl::string_view::npos) << changed;
}

TEST_F(SharedWeightsTest, TheSameBytesHaveOneBuffer) {
  const std::string a = folder_.Write("a", Bytes(kBytes, 1));
  const std::string b = folder_.Write("b", absl::StrCat("xyz", Bytes(kBytes, 1)));
  const auto buffer = Take(a, 0, kBytes, 4);
  EXPECT_EQ(Take(b, 3, kBytes, 4), buffer);
  EXPECT_EQ(Take(a, 0, kBytes, 4), buffer);
  EXPECT_NE(Take(a, 0, kBytes - 4, 4), buffer);
}

// Also where nothing but one byte distinguishes them.
TEST_F(SharedWeightsTest, OtherBytesHaveAnother) {
  const std::string bytes = Bytes(kBytes, 1);
  const auto buffer = Take(folder_.Write("a", bytes), 0, kBytes, 4);
  for (const int64_t at : {int64_t{0}, int64_t{100}, kBytes / 2, kBytes - 100, kBytes - 1}) {
    std::string changed = bytes;
    changed[static_cast<size_t>(at)] ^= 1;
    const std::string path = folder_.Write(absl::StrCat("b", at), changed);
    const auto other = Take(path, 0, kBytes, 4);
    EXPECT_NE(other, buffer);
    EXPECT_EQ(Take(path, 0, kBytes, 4), other);
  }
}

TEST_F(SharedWeightsTest, ManyThatAreNearlyTheSame) {
  const std::string bytes = Bytes(kBytes, 1);
  std::vector<std::shared_ptr<Buffer>> taken;
  for (int i = 0; i < 20; ++i) {
    std::string changed = bytes;
    changed[1000] = static_cast<char>(i);
    taken.push_back(Take(folder_.Write(absl::StrCat("m", i), changed), 0, kBytes, 4));
    EXPECT_EQ(std::count(taken.begin(), taken.end(), taken.back()), 1);
  }
  EXPECT_EQ(Take(folder_.Path("m3"), 0, kBytes, 4), taken[3]);
}

TEST_F(SharedWeightsTest, EveryAddressIsAlignedAsAsked) {
  const std::string path = folder_.Write("a", Bytes(kBytes + 8, 1));
  for (int64_t offset = 0; offset < 8; ++offset) {
    for (const uintptr_t alignment : {1, 2, 4, 8}) Take(path, offset, kBytes, alignment);
  }
  // More than fits into a piece of memory for copies is reserved apart.
  const int64_t large = (int64_t{64} << 20) + 1;
  Take(folder_.Write("large", Bytes(large + 1, 2)), 1, large, 8);
  Take(path, 1, kBytes, 8);
}

TEST_F(SharedWeightsTest, ManyThreadsTakeTheSame) {
  constexpr int kTensors = 50;
  std::string bytes = "x";
  for (int i = 0; i < kTensors; ++i) bytes += Bytes(kBytes, i);
  const std::string paths[] = {folder_.Write("a", bytes), folder_.Write("b", bytes)};
  std::vector<std::shared_ptr<Buffer>> taken[4];
  std::vector<std::thread> threads;
  for (size_t t = 0; t < std::size(taken); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTensors; ++i) {
        taken[t].push_back(Take(paths[t % 2], 1 + i * kBytes, kBytes, 4));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : taken) EXPECT_EQ(other, taken[0]);
}

TEST_F(SharedWeightsTest, AModelsFilesAreAmongThoseThatMustNotChange) {
  const std::string model = folder_.Write(
      "m.onnxtxt",
      "<ir_version: 10, opset_import: [\"\" : 21]> g (float[4096] x) => (float[4096] y) "
      "<float[4096] w = [\"location\": \"w.data\"]> { y = Add (x, w) }");
  const std::string data = folder_.Write("w.data", Bytes(kBytes, 1));
  for (const std::string& path : {model, data}) {
    LoadOptions options;
    options.weights = std::make_shared<SharedWeights>();
    const testing::LoadedModel loaded = LoadModel(model, Registry(), options);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_TRUE(options.weights->CheckUnchanged().ok());
    const auto before = std::filesystem::last_write_time(path);
    std::filesystem::last_write_time(path, before + std::chrono::milliseconds(10));
    EXPECT_FALSE(options.weights->CheckUnchanged().ok()) << path;
  }
}

TEST_F(SharedWeightsTest, OfTwoModels) {
  const auto model = [&](const std::string& name, const std::string& data) {
    folder_.Write(name + ".data", data);
    return folder_.Write(
        name + ".onnxtxt",
        absl::StrCat(
            "<ir_version: 10, opset_import: [\"\" : 21]> g (float[4096] x) => (float[4096] "
            "y) <float[4096] w = [\"location\": \"",
            name, ".data\"]> { y = Add (x, w) }"));
  };
  const std::string bytes = Bytes(kBytes, 1);
  LoadOptions options;
  options.weights = std::make_shared<SharedWeights>();
  const auto load = [&](const std::string& path) {
    const testing::LoadedModel loaded = LoadModel(path, Registry(), options);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return (*loaded)->graph.initializers[0].value.tensor();
  };
  const Tensor left = load(model("left", bytes));
  const Tensor right = load(model("right", bytes));
  const Tensor other = load(model("other", Bytes(kBytes, 2)));
  options.weights = nullptr;
  const Tensor alone = load(folder_.Path("right.onnxtxt"));
  EXPECT_EQ(left.buffer(), right.buffer());
  EXPECT_NE(left.buffer(), other.buffer());
  EXPECT_NE(left.buffer(), alone.buffer());
}

}  // namespace
}  // namespace onnxcmp
