// Compares the pairs of testdata/fusions: what an optimizer fuses, and the standard operators that
// it stands for: --gtest_filter='Fusions.*'. docs/fused_operators.md lists them.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/base/thread_pool.h"
#include "feed/input_sets.h"
#include "gtest/gtest.h"
#include "prove/prove.h"
#include "reports/render_json.h"
#include "reports/render_table.h"
#include "tests/golden/registration.h"
#include "tests/support/golden.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

constexpr char kFused[] = ".fused.onnxtxt";

std::string PairPath(absl::string_view file) { return TestData(absl::StrCat("fusions/", file)); }

// Sorted.
std::vector<std::string> PairNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(PairPath(""), error)) {
    const std::string file = entry.path().filename().string();
    absl::string_view name = file;
    if (absl::ConsumeSuffix(&name, kFused)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct SidesOfPair {
  std::unique_ptr<ModelSide> standard;
  std::unique_ptr<ModelSide> fused;
};

absl::StatusOr<SidesOfPair> OpenPair(const std::string& name, std::optional<uint64_t> seed) {
  const EvaluatorOptions options = {.threads = 1};
  SidesOfPair sides;
  OC_ASSIGN_OR_RETURN(sides.standard, ModelSide::Open(PairPath(name + ".standard.onnxtxt"),
                                                      Registry(), {}, options));
  OC_ASSIGN_OR_RETURN(sides.fused,
                      ModelSide::Open(PairPath(name + kFused), Registry(), {}, options));
  InputOptions inputs;
  inputs.generated.seed = seed;
  OC_ASSIGN_OR_RETURN(InputSets sets,
                      InputSets::Open(sides.standard->graph(), sides.fused->graph(), inputs));
  OC_ASSIGN_OR_RETURN(FedInputs fed, sets.Get(0));
  sides.standard->SetFeeds(std::move(fed.left));
  sides.fused->SetFeeds(std::move(fed.right));
  return sides;
}

absl::StatusOr<Comparison> ComparePair(const std::string& name, std::optional<uint64_t> seed,
                                       bool share) {
  OC_ASSIGN_OR_RETURN(const SidesOfPair sides, OpenPair(name, seed));
  CompareOptions compare;
  compare.threads = 1;
  compare.share = share;
  return Compare(*sides.standard, *sides.fused, compare);
}

absl::StatusOr<ProofReport> ProvePair(const std::string& name) {
  OC_ASSIGN_OR_RETURN(const SidesOfPair sides, OpenPair(name, {}));
  CompareOptions compare;
  compare.threads = 1;
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(*sides.standard, *sides.fused, compare));
  const ThreadPool pool(1);
  return ProveEqual({sides.standard.get(), sides.fused.get()}, comparison,
                    {.seed = 0, .pool = &pool});
}

// Pairs that --prove does not prove: nobody has told it what these operators are made of.
bool HasNoDefinition(const std::string& name) {
  static constexpr absl::string_view kNames[] = {"HyperConnectionLowRankMix", "Mamba2Verify",
                                                 "MatMulNBitsQLoRA", "MoE", "RMSNormRotary"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

class FusedPair : public ::testing::Test {
 public:
  explicit FusedPair(std::string name) : name_(std::move(name)) {}

  // Made-up inputs are either 0, 1, 2, ..., which covers all 8-bit integers, or random.
  void TestBody() override {
    for (const std::optional<uint64_t> seed : {std::optional<uint64_t>(), {1}}) {
      const absl::StatusOr<Comparison> comparison = ComparePair(name_, seed, /*share=*/true);
      ASSERT_TRUE(comparison.ok()) << comparison.status();
      EXPECT_TRUE(comparison->verdict() == Verdict::kSame ||
                  comparison->verdict() == Verdict::kClose)
          << RenderTable(*comparison, {});
      // Nobody sees what the two sides shared.
      const absl::StatusOr<Comparison> alone = ComparePair(name_, seed, /*share=*/false);
      ASSERT_TRUE(alone.ok()) << alone.status();
      EXPECT_EQ(RenderJson(*comparison), RenderJson(*alone));
    }
    const absl::StatusOr<ProofReport> proof = ProvePair(name_);
    ASSERT_TRUE(proof.ok()) << proof.status();
    EXPECT_EQ(proof->proved, !HasNoDefinition(name_));
  }

 private:
  const std::string name_;
};

// "com.microsoft.QuickGelu: X * Sigmoid(alpha * X)", the first line of a fused model.
std::string Comment(const std::string& name) {
  std::ifstream file(PairPath(name + kFused));
  std::string line;
  std::getline(file, line);
  EXPECT_TRUE(absl::StartsWith(line, "# ")) << name;
  return line.substr(std::min<size_t>(line.size(), 2));
}

TEST(FusionsPage, ListsThePairs) {
  std::string page =
      "# Fused operators\n\n"
      "What optimizers write, and the standard operators that it stands for. Each row is a pair "
      "of\n"
      "models in `testdata/fusions`, NAME.fused.onnxtxt and NAME.standard.onnxtxt, that agree:\n\n"
      "```sh\n"
      "onnxcmp testdata/fusions/BiasGelu.standard.onnxtxt testdata/fusions/BiasGelu.fused.onnxtxt\n"
      "```\n\n"
      "`golden_test --gtest_filter='Fusions*'` compares them all. This page is written by\n"
      "`ONNXCMP_UPDATE_GOLDENS=1 build/tests/golden/golden_test --gtest_filter='FusionsPage*'`.\n\n"
      "| operator | stands for | pair |\n"
      "| --- | --- | --- |\n";
  for (const std::string& name : PairNames()) {
    const std::string comment = Comment(name);
    const size_t colon = comment.find(": ");
    ASSERT_NE(colon, std::string::npos) << comment;
    absl::StrAppend(&page, "| ", comment.substr(0, colon), " | ",
                    absl::StrReplaceAll(comment.substr(colon + 2), {{"|", "\\|"}, {"*", "\\*"}}),
                    " | ", name, " |\n");
  }
  ExpectFile(Document("fused_operators.md"), page);
}

}  // namespace

void RegisterFusions() {
  for (const std::string& name : PairNames()) {
    ::testing::RegisterTest("Fusions", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [name]() -> ::testing::Test* { return new FusedPair(name); });
  }
}

}  // namespace onnxcmp::testing
