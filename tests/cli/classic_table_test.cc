// The table of the program against the tables that another tool printed: testdata/README.md.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

struct Golden {
  std::string table;
  std::vector<std::string> options;
  std::vector<size_t> fragile;  // rows whose letters depend on the last bit of a sum
  int status = 0;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.table; }

class ClassicGoldenTest : public ::testing::TestWithParam<Golden> {};

TEST_P(ClassicGoldenTest, IsTheOtherToolsTable) {
  const Golden& golden = GetParam();
  std::vector<std::string> arguments = {TestData("models/llm/plain.onnx"),
                                        TestData("models/llm/optimized.onnx"), "--classic"};
  arguments.insert(arguments.end(), golden.options.begin(), golden.options.end());
  const testing::Outcome outcome = testing::Onnxcmp(arguments);
  EXPECT_EQ(outcome.status, golden.status) << outcome.err;
  const std::string want_text = testing::ReadFile(TestData("classic/" + golden.table));
  EXPECT_TRUE(outcome.out.ends_with("\n") && !outcome.out.ends_with("\n\n"));
  std::vector<std::string> got = testing::Lines(outcome.out);
  std::vector<std::string> want = testing::Lines(want_text);
  ASSERT_EQ(got.size(), want.size());
  const std::regex letters(" [A-Z?]{4} ");
  // For tensors that differ by rounding alone, the size of the difference is the kernels' affair.
  const std::regex errors("\\| a=\\S+ r=\\S+");
  for (size_t row = 0; row < want.size(); ++row) {
    const bool fragile = std::count(golden.fragile.begin(), golden.fragile.end(), row + 1) > 0;
    for (std::string* line : {&got[row], &want[row]}) {
      if (fragile) {
        (*line)[4] = (*line)[4] == '~' ? '=' : (*line)[4];
        *line = std::regex_replace(*line, letters, " **** ");
      }
      *line = std::regex_replace(*line, errors, "| a= r=");
    }
    EXPECT_EQ(got[row], want[row]);
  }
}

std::string Inputs() { return TestData("models/llm/inputs.npz"); }

INSTANTIATE_TEST_SUITE_P(
    Llm, ClassicGoldenTest,
    ::testing::Values(Golden{"llm_default.txt", {}, {41, 49, 52}},
                      Golden{"llm_inputs.txt", {"--inputs", Inputs()}, {41, 49, 52}},
                      Golden{"llm_keep.txt", {"--inputs", Inputs(), "--keep-tensor"}, {41, 49, 52}},
                      Golden{"llm_nodes.txt", {"--mode", "nodes"}, {}, 1}));

// Wider columns show more of the same.
TEST(ClassicTableTest, ColumnSize) {
  const std::string model = TestData("models/llm/plain.onnx");
  const testing::Outcome narrow =
      testing::Onnxcmp({model, model, "--classic", "--column-size", "20"});
  const testing::Outcome wide =
      testing::Onnxcmp({model, model, "--classic", "--column-size", "90"});
  EXPECT_EQ(narrow.status, 0);
  ASSERT_EQ(wide.status, 0);
  const std::string row = testing::Lines(narrow.out)[0];
  EXPECT_EQ(row, "001 = | INITIA float32  2:25 | INITIA float32  2:25");
  EXPECT_EQ(testing::Lines(wide.out)[0].size(), 4 + 4 + 90 + 3 + 90);
}

}  // namespace
}  // namespace onnxcmp
