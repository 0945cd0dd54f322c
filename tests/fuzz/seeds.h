// Inputs that the fuzz targets start from: ONNX's node tests and the golden cases of onnxruntime's
// operators, the values of their inputs put into the models, so that they can be changed as well.
#ifndef ONNXCMP_TESTS_FUZZ_SEEDS_H_
#define ONNXCMP_TESTS_FUZZ_SEEDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::fuzz {

struct Seed {
  std::string name;
  std::string bytes;
};

// Models of folders in the layout of ONNX's backend tests.
absl::StatusOr<std::vector<Seed>> BackendTestSeeds(const std::string& folder);
// Models of tests/golden/contrib.
absl::StatusOr<std::vector<Seed>> GoldenSeeds(const std::string& folder);
// Files of values as ReadValues() takes them: of each kind, a few.
absl::StatusOr<std::vector<Seed>> ValueSeeds();
// Recordings of each form, as ReadRecordings() takes them.
absl::StatusOr<std::vector<Seed>> RecordingSeeds();
// Answers of each kind, as AskAdapter() takes them.
absl::StatusOr<std::vector<Seed>> AdapterSeeds();

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_SEEDS_H_
