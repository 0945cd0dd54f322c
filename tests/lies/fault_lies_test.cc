// Faults of many kinds in a language model and in what converters and quantizers made of it. What
// moves the outputs by more than the types explain does not pass.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/load/load_model.h"
#include "feed/feeds.h"
#include "tests/lies/given_models.h"
#include "tests/support/model_faults.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::Registry;
using ::onnxcmp::testing::WhatWasSaid;

struct Pair {
  const char* left;
  const char* right;
  // Relative RMS by which a fault has to move the right's output to count. Beside a model of the
  // same types: what is more than rounding. Beside one in float32: more than the types explain,
  // which a fault can hide in.
  double visible;
};

class FaultLiesTest : public ::testing::TestWithParam<Pair> {
 protected:
  static std::shared_ptr<const Model> Loaded(const std::string& name) {
    auto model = LoadModel(TestData(absl::StrCat("models/llm/", name, ".onnx")), Registry());
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *model : nullptr;
  }
  void SetUp() override {
    left_ = Loaded(GetParam().left);
    right_ = Loaded(GetParam().right);
    ASSERT_NE(left_, nullptr);
    ASSERT_NE(right_, nullptr);
    auto file = FeedFile::Open(TestData("models/llm/inputs.npz"));
    ASSERT_TRUE(file.ok()) << file.status();
    const auto feeds = file->FeedsFor(left_->graph);
    ASSERT_TRUE(feeds.ok()) << feeds.status();
    feeds_ = feeds->feeds;
    for (const auto& [name, value] : testing::ResultsOf(right_, feeds_)) known_[name] = value;
  }
  // How far the outputs of a model with a fault are from what they were; negative if it can't run.
  double Moved(const std::shared_ptr<const Model>& faulty) const {
    const auto evaluator = Evaluator::Create(faulty, Registry(), {.threads = 1});
    if (!evaluator.ok()) return -1;
    const auto outputs = evaluator->Run(feeds_);
    if (!outputs.ok()) return -1;
    double moved = 0;
    for (size_t i = 0; i < outputs->size(); ++i) {
      moved =
          std::max(moved, testing::RelativeRms(known_.at(right_->graph.outputs[i].name).tensor(),
                                               (*outputs)[i].tensor()));
    }
    return moved;
  }

  std::shared_ptr<const Model> left_;
  std::shared_ptr<const Model> right_;
  Feeds feeds_;
  testing::KnownValues known_;
};

TEST_P(FaultLiesTest, TheRightPairPasses) {
  const Comparison comparison = CompareModels(left_, right_, feeds_);
  EXPECT_TRUE(Agrees(comparison)) << WhatWasSaid(comparison);
}

// The sanitizers, which take 35 times as long, look at one place of each fault.
#ifdef __SANITIZE_ADDRESS__
constexpr int kSeeds = 1;
#else
constexpr int kSeeds = 4;
#endif

TEST_P(FaultLiesTest, NoneIsMissed) {
  int faults = 0;
  std::vector<std::string> missed;
  for (const std::string& kind : testing::FaultKinds()) {
    if (kind == "gelu_form" || kind == "float16_detour") continue;  // no faults by themselves
    for (uint64_t seed = 0; seed < uint64_t{kSeeds}; ++seed) {
      const auto model = std::make_shared<Model>(*right_);
      const auto fault = testing::InjectFault(kind, seed, known_, model.get());
      if (!fault.has_value()) continue;
      const double moved = Moved(model);
      if (moved < GetParam().visible) continue;
      ++faults;
      const Comparison comparison =
          CompareModels(left_, std::shared_ptr<const Model>(model), feeds_);
      if (Agrees(comparison)) {
        missed.push_back(absl::StrCat(kind, " at ", fault->place, " moves it by ", moved, ": ",
                                      WhatWasSaid(comparison)));
      }
    }
  }
  EXPECT_GE(faults, 2 * kSeeds);
  EXPECT_TRUE(missed.empty()) << missed.size() << " of " << faults << ":\n"
                              << absl::StrJoin(missed, "\n");
}

constexpr Pair kPairs[] = {
    {"plain", "plain", 1e-4},     {"plain", "optimized", 1e-4}, {"optimized", "plain", 1e-4},
    {"float16", "float16", 5e-3}, {"plain", "float16", 1e-2},   {"dynamic", "dynamic", 2e-2},
    {"plain", "dynamic", 0.1},    {"qdq", "qdq", 2e-2},         {"plain", "qdq", 0.1},
};

INSTANTIATE_TEST_SUITE_P(Llm, FaultLiesTest, ::testing::ValuesIn(kPairs),
                         [](const ::testing::TestParamInfo<Pair>& info) {
                           return absl::StrCat(info.param.left, "_", info.param.right);
                         });

}  // namespace
}  // namespace onnxcmp
