// Faults of many kinds in a language model, in the model itself and in what an optimizer made of
// it: the cause that is named first is the fault, and its two regions show it by themselves.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/load/load_model.h"
#include "feed/feeds.h"
#include "tests/compare/causes/repro/reproduce.h"
#include "tests/support/model_faults.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

class FaultLocation : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    left_model_ = Load("plain.onnx");
    right_model_ = Load(GetParam());
    auto file = FeedFile::Open(TestData("models/llm/inputs.npz"));
    ASSERT_TRUE(file.ok()) << file.status();
    const auto feeds = file->FeedsFor(left_model_->graph);
    ASSERT_TRUE(feeds.ok()) << feeds.status();
    feeds_ = feeds->feeds;
    left_ = SideOf(left_model_);
    known_ = ValuesOf(right_model_);
    const Comparison clean = Compared(right_model_);
    EXPECT_THAT(clean.causes, ::testing::IsEmpty());
    for (size_t r = 0; r < clean.right.results.size(); ++r) {
      if (clean.alignment.right_to_left[r] != kNone) paired_.insert(clean.right.results[r].name);
    }
  }

  static std::shared_ptr<const Model> Load(const std::string& name) {
    auto model = LoadModel(TestData("models/llm/" + name), testing::Registry());
    EXPECT_TRUE(model.ok()) << model.status();
    return *model;
  }
  std::unique_ptr<ModelSide> SideOf(std::shared_ptr<const Model> model) const {
    auto side = ModelSide::Create(std::move(model), testing::Registry(), {.threads = 1});
    if (!side.ok()) return nullptr;
    (*side)->SetFeeds(feeds_);
    return *std::move(side);
  }
  testing::KnownValues ValuesOf(std::shared_ptr<const Model> model) const {
    testing::Recorder recorder;
    const auto evaluator = Evaluator::Create(std::move(model), testing::Registry(), {.threads = 1});
    testing::KnownValues values;
    if (!evaluator.ok() || !evaluator->Run(feeds_, &recorder).ok()) return values;
    for (const testing::Recorder::Entry& entry : recorder.entries()) {
      values[entry.name] = entry.value;
    }
    return values;
  }
  Comparison Compared(std::shared_ptr<const Model> right) const {
    const auto side = SideOf(std::move(right));
    CompareOptions options;
    options.threads = 1;
    options.repro = true;
    auto comparison = Compare(*left_, *side, options);
    EXPECT_TRUE(comparison.ok()) << comparison.status();
    return comparison.ok() ? *std::move(comparison) : Comparison();
  }
  // Whether the fault can be seen at all.
  bool Changes(const testing::KnownValues& faulty) const {
    if (faulty.empty()) return false;
    return absl::c_any_of(known_, [&](const auto& known) {
      const auto it = faulty.find(known.first);
      return it != faulty.end() && DifferenceOf(known.second, it->second, {}).max_absolute > 2e-5;
    });
  }
  // What has no partner shows itself at the first results after it that have one.
  std::set<std::string> StandIns(const std::string& place, const Graph& graph) const {
    std::set<std::string> names = {place};
    std::vector<std::string> open = {place};
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      if (paired_.contains(name)) continue;
      for (const Node& node : graph.nodes) {
        if (!absl::c_linear_search(node.inputs, name)) continue;
        for (const std::string& output : node.outputs) {
          if (names.insert(output).second) open.push_back(output);
        }
      }
    }
    return names;
  }

  std::shared_ptr<const Model> left_model_;
  std::shared_ptr<const Model> right_model_;
  Feeds feeds_;
  std::unique_ptr<ModelSide> left_;
  testing::KnownValues known_;
  std::set<std::string> paired_;
};

TEST_P(FaultLocation, NamesTheFaultFirst) {
  constexpr uint64_t kTries = 6;
  int faults = 0;
  std::vector<std::string> missed;
  for (const std::string& kind : testing::FaultKinds()) {
    for (uint64_t seed = 0; seed < kTries; ++seed) {
      const auto model = std::make_shared<Model>(*right_model_);
      const auto fault = testing::InjectFault(kind, seed, known_, model.get());
      if (!fault.has_value() || SideOf(model) == nullptr || !Changes(ValuesOf(model))) continue;
      std::set<std::string> places = StandIns(fault->place, model->graph);
      std::shared_ptr<const Model> right = model;
      if (seed % 2 == 1) {
        std::set<std::string> renamed;
        for (std::string place : places) {
          const auto disguised = std::make_shared<Model>(*model);
          testing::Disguise(seed, disguised.get(), &place);
          renamed.insert(place);
          right = disguised;
        }
        places = std::move(renamed);
      }
      const Comparison comparison = Compared(right);
      // What has no effect has no cause.
      if (comparison.verdict() == Verdict::kSame) {
        EXPECT_THAT(comparison.causes, ::testing::IsEmpty());
        continue;
      }
      ++faults;
      if (comparison.causes.empty() ||
          !places.contains(
              comparison.right.results[static_cast<size_t>(comparison.causes.front().right)]
                  .name)) {
        missed.push_back(kind + " at " + fault->place +
                         (comparison.causes.empty() ? "" : ": " + comparison.causes.front().text));
      } else {
        for (const std::string& problem :
             testing::ReproProblems(comparison, comparison.causes.front())) {
          ADD_FAILURE() << "the repro of " << kind << " at " << fault->place << ": " << problem
                        << "\n"
                        << comparison.causes.front().text;
        }
      }
      break;
    }
  }
  EXPECT_GE(faults, 20);
  EXPECT_LE(missed.size() * 20, static_cast<size_t>(faults)) << absl::StrJoin(missed, "\n");
}

INSTANTIATE_TEST_SUITE_P(Llm, FaultLocation, ::testing::Values("plain.onnx", "optimized.onnx"));

}  // namespace
}  // namespace onnxcmp
