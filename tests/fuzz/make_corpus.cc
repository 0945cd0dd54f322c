// make_corpus NODE_TESTS GOLDEN_CASES FOLDER: writes what the fuzz targets start from into
// FOLDER/models (for run_model and show_model), FOLDER/seeded_models (for compare_models,
// prove_models and reduce_model), FOLDER/read_values, FOLDER/read_recordings and
// FOLDER/ask_adapter.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

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

absl::Status WriteSeeds(const std::string& folder, const absl::StatusOr<std::vector<Seed>>& seeds) {
  OC_RETURN_IF_ERROR(seeds.status());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const Seed& seed : *seeds) {
    OC_RETURN_IF_ERROR(Write(absl::StrCat(folder, "/", seed.name), seed.bytes));
  }
  return absl::OkStatus();
}

absl::Status MakeCorpus(const std::string& tests, const std::string& golden,
                        const std::string& folder) {
  OC_ASSIGN_OR_RETURN(std::vector<Seed> models, BackendTestSeeds(tests));
  OC_ASSIGN_OR_RETURN(const std::vector<Seed> more, GoldenSeeds(golden));
  models.insert(models.end(), more.begin(), more.end());
  std::vector<Seed> seeded = models;
  // Eight bytes are the seed of what is changed on the right side.
  for (Seed& seed : seeded) seed.bytes.insert(0, 8, '\0');
  OC_RETURN_IF_ERROR(WriteSeeds(folder + "/models", models));
  OC_RETURN_IF_ERROR(WriteSeeds(folder + "/seeded_models", seeded));
  OC_RETURN_IF_ERROR(WriteSeeds(folder + "/read_values", ValueSeeds()));
  OC_RETURN_IF_ERROR(WriteSeeds(folder + "/read_recordings", RecordingSeeds()));
  OC_RETURN_IF_ERROR(WriteSeeds(folder + "/ask_adapter", AdapterSeeds()));
  std::printf("%zu models\n", models.size());
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
