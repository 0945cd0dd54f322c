// Runs the "light" models of ONNX's backend tests: whole networks, their weights made by a node.
// The data hold outputs alone. As in ONNX's runner the n elements of an input are 0, 1/n, 2/n, ...
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "gtest/gtest.h"
#include "tests/support/mismatch.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp::testing {
namespace {

Feeds DummyFeeds(const Graph& graph) {
  Feeds feeds;
  for (const ValueInfo& input : graph.inputs) {
    const bool has_default = absl::c_any_of(
        graph.initializers, [&](const Initializer& given) { return given.name == input.name; });
    if (has_default) continue;
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const TypeInfo::Dim& dim : *input.type.shape) {
      shape.push_back(dim.value.value_or(1));
      count *= shape.back();
    }
    std::vector<float> elements(static_cast<size_t>(count));
    std::iota(elements.begin(), elements.end(), 0.0f);
    for (float& element : elements) element /= static_cast<float>(count);
    feeds[input.name] = Tensor::Of(shape, elements);
  }
  return feeds;
}

class LightTest : public ::testing::TestWithParam<const char*> {};

TEST_P(LightTest, GivesTheExpectedOutputs) {
  const std::string stem = OnnxTestData(absl::StrCat("light/light_", GetParam()));
  const auto model = LoadModel(absl::StrCat(stem, ".onnx"), Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  const auto evaluator = Evaluator::Create(*model, Registry(), {});
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const auto want = ReadTestValues(absl::StrCat(stem, "_output_"), (*model)->graph.outputs);
  ASSERT_TRUE(want.ok()) << want.status();
  ASSERT_EQ(want->size(), (*model)->graph.outputs.size());
  const auto got = evaluator->Run(DummyFeeds((*model)->graph));
  ASSERT_TRUE(got.ok()) << got.status();
  for (size_t i = 0; i < want->size(); ++i) {
    EXPECT_EQ(Mismatch((*got)[i], (*want)[i], {.rtol = 1e-3, .atol = 1e-7}), std::nullopt);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LightTest,
                         ::testing::Values("bvlc_alexnet", "densenet121", "inception_v1",
                                           "inception_v2", "resnet50", "shufflenet", "squeezenet",
                                           "vgg19", "zfnet512"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace onnxcmp::testing
