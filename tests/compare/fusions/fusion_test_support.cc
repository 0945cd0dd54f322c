#include "tests/compare/fusions/fusion_test_support.h"

#include <memory>

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/fusions/find_fusions.h"
#include "evaluator/load/load_model.h"
#include "ops/operators.h"
#include "tests/support/load_test.h"

namespace onnxcmp::testing {
namespace {

std::string LineOf(const Fusion& fusion) {
  std::string line = absl::StrCat(fusion.form, ": ", absl::StrJoin(fusion.nodes, " "));
  for (const FusionObstacle& obstacle : fusion.obstacles) {
    absl::StrAppend(&line, " | ", ObstacleKindName(obstacle.kind));
    for (const std::string& node : obstacle.nodes) absl::StrAppend(&line, " ", node);
    if (obstacle.kind == ObstacleKind::kOutput) absl::StrAppend(&line, " ", obstacle.result);
  }
  return fusion.path.empty() ? line : absl::StrCat(fusion.path, " ", line);
}

}  // namespace

std::vector<std::string> FusionLines(absl::string_view graph) {
  const TestFolder folder;
  const std::string path = folder.Write(
      "model.onnxtxt",
      absl::StrCat("<ir_version: 10, opset_import: [\"\" : 21, \"com.microsoft\" : 1]>\ng ",
                   graph));
  const auto model = LoadModel(path, AllOperators());
  EXPECT_TRUE(model.ok()) << model.status();
  std::vector<std::string> lines;
  if (!model.ok()) return lines;
  for (const Fusion& fusion : FindFusions((*model)->graph)) lines.push_back(LineOf(fusion));
  return lines;
}

std::vector<std::string> FusionLines(absl::string_view graph, absl::string_view form) {
  std::vector<std::string> lines;
  for (std::string& line : FusionLines(graph)) {
    if (absl::StartsWith(line, form)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace onnxcmp::testing
