// make_corpus NODE_TESTS GOLDEN_CASES FOLDER: writes what the fuzz targets start from into
// FOLDER/run_model, FOLDER/compare_models and FOLDER/read_values.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "tests/fuzz/seeds.h"

namespace onnxcmp::fuzz {
namespace {

absl::Status Write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return file ? absl::OkStatus() : absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

absl::Status MakeCorpus(const std::string& tests, const std::string& golden,
                        const std::string& folder) {
  OC_ASSIGN_OR_RETURN(std::vector<Seed> models, BackendTestSeeds(tests));
  OC_ASSIGN_OR_RETURN(const std::vector<Seed> more, GoldenSeeds(golden));
  models.insert(models.end(), more.begin(), more.end());
  OC_ASSIGN_OR_RETURN(const std::vector<Seed> values, ValueSeeds());
  for (const char* target : {"/run_model", "/compare_models", "/read_values"}) {
    std::error_code error;
    std::filesystem::create_directories(folder + target, error);
  }
  for (const Seed& seed : models) {
    OC_RETURN_IF_ERROR(Write(absl::StrCat(folder, "/run_model/", seed.name), seed.bytes));
    // Eight bytes are the seed of what is changed on the right side.
    OC_RETURN_IF_ERROR(Write(absl::StrCat(folder, "/compare_models/", seed.name),
                             std::string(8, '\0') + seed.bytes));
  }
  for (const Seed& seed : values) {
    OC_RETURN_IF_ERROR(Write(absl::StrCat(folder, "/read_values/", seed.name), seed.bytes));
  }
  std::printf("%zu models, %zu files of values\n", models.size(), values.size());
  return absl::OkStatus();
}

}  // namespace
}  // namespace onnxcmp::fuzz

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "make_corpus NODE_TESTS GOLDEN_CASES FOLDER\n");
    return 2;
  }
  const absl::Status status = onnxcmp::fuzz::MakeCorpus(argv[1], argv[2], argv[3]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "make_corpus: %s\n", status.ToString().c_str());
  return 2;
}
