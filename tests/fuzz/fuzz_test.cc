// Findings of the fuzz targets stay mended, and a few steps of theirs find nothing.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/fuzz/mutate_model.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"
#include "tests/support/paths.h"

namespace onnxcmp::fuzz {
namespace {

// The files of testdata/fuzz/`target`, sorted.
std::vector<std::filesystem::path> Kept(const std::string& target) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(TestData("fuzz/" + target), error)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Target = absl::Status (*)(absl::string_view);

void RunKept(const std::string& target, Target run) {
  const std::vector<std::filesystem::path> files = Kept(target);
  EXPECT_FALSE(files.empty()) << "nothing in testdata/fuzz/" << target;
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const absl::Status status = run(ReadFile(file));
    EXPECT_TRUE(status.ok()) << status;
  }
}

TEST(FuzzKeptTest, RunModel) { RunKept("run_model", RunModel); }

TEST(FuzzKeptTest, CompareModels) {
  RunKept("compare_models", CompareModels);
  // Any other models will do as well.
  RunKept("run_model", [](absl::string_view bytes) { return CompareModels(1, bytes); });
}

TEST(FuzzKeptTest, ShowModel) { RunKept("run_model", ShowModel); }

TEST(FuzzKeptTest, ProveModels) {
  RunKept("run_model", [](absl::string_view bytes) { return ProveModels(1, bytes); });
}

TEST(FuzzKeptTest, ReduceModel) {
  RunKept("run_model", [](absl::string_view bytes) {
    return ReduceModel(absl::StrCat(std::string(8, '\1'), bytes));
  });
}

// The seeds, whole and with a byte changed or cut off here and there.
void RunSeeds(const absl::StatusOr<std::vector<Seed>>& seeds, Target run) {
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  for (const Seed& seed : *seeds) {
    SCOPED_TRACE(seed.name);
    EXPECT_TRUE(run(seed.bytes).ok()) << run(seed.bytes);
    for (size_t i = 1; i < seed.bytes.size(); i += 1 + seed.bytes.size() / 8) {
      std::string changed = seed.bytes;
      changed[i] = static_cast<char>(changed[i] ^ 0x81);
      EXPECT_TRUE(run(changed).ok()) << run(changed);
      EXPECT_TRUE(run(changed.substr(0, i)).ok()) << run(changed.substr(0, i));
    }
  }
}

TEST(FuzzKeptTest, ReadValues) { RunSeeds(ValueSeeds(), ReadValues); }
TEST(FuzzKeptTest, ReadRecordings) { RunSeeds(RecordingSeeds(), ReadRecordings); }
TEST(FuzzKeptTest, AskAdapter) { RunSeeds(AdapterSeeds(), AskAdapter); }

TEST(FuzzSeedsTest, ChangedModelsEndInErrorsAtWorst) {
  const absl::StatusOr<std::vector<Seed>> seeds = GoldenSeeds(Golden("contrib"));
  ASSERT_TRUE(seeds.ok()) << seeds.status();
  int changed = 0;
  for (size_t i = 0; i < seeds->size(); i += 7) {
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString((*seeds)[i].bytes)) << (*seeds)[i].name;
    ModelMutator(i).Mutate(&model);
    const std::string bytes = model.SerializeAsString();
    changed += bytes != (*seeds)[i].bytes ? 1 : 0;
    SCOPED_TRACE((*seeds)[i].name);
    absl::Status status = RunModel(bytes);
    EXPECT_TRUE(status.ok()) << status;
    status = i % 2 == 0 ? CompareModels(i, bytes) : absl::OkStatus();
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_GT(changed, 50);
}

}  // namespace
}  // namespace onnxcmp::fuzz
