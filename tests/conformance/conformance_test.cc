// Runs ONNX's backend tests, one test each: --gtest_filter=Node.test_abs. Every test that
// expected_tests.txt names has to run and pass; others are skipped if they need something that we
// do not have.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"
#include "tests/support/test_folder.h"

namespace onnxcmp::testing {
namespace {

struct Kind {
  const char* folder;
  const char* suite;
  // Operators run through the bodies that ONNX's schemas give them, so that these and our kernels
  // check each other.
  bool expand = false;
};
constexpr Kind kKinds[] = {
    {"node", "Node"},
    {"node", "NodeExpanded", true},
    {"pytorch-converted", "PytorchConverted"},
    {"pytorch-operator", "PytorchOperator"},
    {"simple", "Simple"},
};

std::vector<std::string> ExpectedTests() {
  std::ifstream file(ExpectedConformanceTests());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

double AbsoluteTolerance(absl::string_view name) {
  // The expected values hold the noise of a float transform where 0 is exact; ONNX too runs these
  // with another tolerance than the default.
  if (absl::StartsWith(name, "node/test_dft")) return 1e-6;
  // NumPy rounds each step of Softmax to float16: the expected value is two units in the last place
  // off the exact one.
  if (name == "node/test_attention_4d_causal_fp16_expanded") return 1e-4;
  // The draws of another generator: type and shape are compared, and that nothing is farther than 1
  // from a 0 or a 1.
  if (absl::StartsWith(name, "node/test_bernoulli")) return 1;
  return 1e-7;
}

class FolderTest : public ::testing::Test {
 public:
  FolderTest(std::string name, bool expand, bool expected)
      : name_(std::move(name)), expand_(expand), expected_(expected) {}

  void TestBody() override {
    const auto mismatches =
        RunTestFolder(OnnxTestData(name_), Registry(), {.threads = 1, .expand_functions = expand_},
                      {.rtol = 1e-3, .atol = AbsoluteTolerance(name_)});
    if (!expected_ && absl::IsUnimplemented(mismatches.status())) {
      GTEST_SKIP() << mismatches.status().message();
    }
    ASSERT_TRUE(mismatches.ok()) << mismatches.status();
    for (const std::string& mismatch : *mismatches) ADD_FAILURE() << mismatch;
  }

 private:
  const std::string name_;
  const bool expand_;
  const bool expected_;
};

// The list itself, so that the tests cannot pass by running nothing.
TEST(ExpectedTests, AreListedAndThere) {
  const std::vector<std::string> expected = ExpectedTests();
  ASSERT_FALSE(expected.empty()) << ExpectedConformanceTests();
  EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
  size_t there = 0;
  for (const std::string& name : expected) {
    const bool exists = std::filesystem::exists(absl::StrCat(OnnxTestData(name), "/model.onnx"));
    there += exists ? 1 : 0;
    EXPECT_TRUE(exists || !OnnxIsOurs()) << "no test data for " << name;
  }
  EXPECT_GT(there, expected.size() / 2) << OnnxTestData("");
}

void RegisterFolders() {
  const std::vector<std::string> listed = ExpectedTests();
  const absl::flat_hash_set<std::string> expected(listed.begin(), listed.end());
  for (const Kind& kind : kKinds) {
    std::vector<std::string> tests;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(OnnxTestData(kind.folder), error)) {
      if (entry.is_directory()) tests.push_back(entry.path().filename().string());
    }
    // Shards are cut by number, so the order must be the same everywhere.
    std::sort(tests.begin(), tests.end());
    for (const std::string& test : tests) {
      const std::string name = absl::StrCat(kind.folder, "/", test);
      const bool is_expected = expected.contains(name);
      ::testing::RegisterTest(kind.suite, test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [=, expand = kind.expand]() -> ::testing::Test* {
                                return new FolderTest(name, expand, is_expected);
                              });
    }
  }
}

}  // namespace
}  // namespace onnxcmp::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  onnxcmp::testing::RegisterFolders();
  return RUN_ALL_TESTS();
}
