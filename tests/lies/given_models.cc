#include "tests/lies/given_models.h"

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/outputs/output_comparison.h"
#include "evaluator/load/load_model.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {

std::shared_ptr<const Model> Load(const GivenModel& given) {
  const std::string text = absl::StrCat(
      "<ir_version: 10, opset_import: [\"\": 21, \"com.microsoft\": 1, \"ai.onnx.ml\": 4]>\ng ",
      given.graph);
  const auto loaded = LoadModelFromText(text, Registry());
  EXPECT_TRUE(loaded.ok()) << loaded.status() << "\n" << text;
  if (!loaded.ok()) return nullptr;
  auto model = std::make_shared<Model>(**loaded);
  Graph& graph = model->graph;
  std::erase_if(graph.inputs, [&](const ValueInfo& input) {
    const auto it = given.constants.find(input.name);
    if (it == given.constants.end()) return false;
    graph.initializers.push_back({input.name, it->second});
    return true;
  });
  return model;
}

std::unique_ptr<ModelSide> SideOf(std::shared_ptr<const Model> model, const Feeds& feeds) {
  auto side = ModelSide::Create(std::move(model), Registry(), {.threads = 1});
  EXPECT_TRUE(side.ok()) << side.status();
  if (!side.ok()) return nullptr;
  (*side)->SetFeeds(feeds);
  return *std::move(side);
}

Comparison CompareModels(const std::shared_ptr<const Model>& left,
                         const std::shared_ptr<const Model>& right, const Feeds& feeds,
                         CompareOptions options) {
  options.threads = 1;
  const auto left_side = SideOf(left, feeds);
  const auto right_side = SideOf(right, feeds);
  if (left_side == nullptr || right_side == nullptr) return {};
  auto comparison = Compare(*left_side, *right_side, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return {};
  EXPECT_NE(comparison->verdict(), Verdict::kFailed) << comparison->left_summary.status << "\n"
                                                     << comparison->right_summary.status;
  return *std::move(comparison);
}

Comparison CompareModels(const GivenModel& left, const GivenModel& right, const Feeds& feeds,
                         const CompareOptions& options) {
  const auto left_model = Load(left);
  const auto right_model = Load(right);
  if (left_model == nullptr || right_model == nullptr) return {};
  return CompareModels(left_model, right_model, feeds, options);
}

bool Agrees(const Comparison& comparison) {
  return comparison.verdict() == Verdict::kSame || comparison.verdict() == Verdict::kClose;
}

std::string WhatWasSaid(const Comparison& comparison) {
  return absl::StrCat(VerdictName(comparison.verdict()), ": ",
                      absl::StrJoin(DescribeOutputs(comparison.outputs), "\n"));
}

std::vector<std::pair<std::string, Value>> ResultsOf(std::shared_ptr<const Model> model,
                                                     const Feeds& feeds) {
  std::vector<std::pair<std::string, Value>> values;
  const auto evaluator = Evaluator::Create(std::move(model), Registry(), {.threads = 1});
  Recorder recorder;
  if (!evaluator.ok() || !evaluator->Run(feeds, &recorder).ok()) return values;
  for (const Recorder::Entry& entry : recorder.entries()) {
    if (entry.kind == ResultKind::kResult) values.emplace_back(entry.name, entry.value);
  }
  return values;
}

double RelativeRms(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) return 1;
  const Tensor left = Convert(a, DType::kDouble);
  const Tensor right = Convert(b, DType::kDouble);
  double error = 0;
  double size = 0;
  for (int64_t i = 0; i < left.num_elements(); ++i) {
    const double l = left.data<double>()[i];
    const double r = right.data<double>()[i];
    if (!std::isfinite(l) || !std::isfinite(r)) {
      if (!(l == r || (std::isnan(l) && std::isnan(r)))) return 1;
      continue;
    }
    error += (r - l) * (r - l);
    size += l * l;
  }
  return error == 0 ? 0 : size == 0 ? 1 : std::sqrt(error / size);
}

}  // namespace onnxcmp::testing
