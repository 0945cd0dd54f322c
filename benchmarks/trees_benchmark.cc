// Ensembles of decision trees.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"
#include "evaluator/model/model.h"

namespace onnxcmp {
namespace {

// Full trees that compare random features with random numbers; every leaf votes for all targets.
void BM_TreeEnsembleRegressor(benchmark::State& state) {
  const int64_t trees = state.range(0);
  const int64_t inner = (int64_t{1} << state.range(1)) - 1;
  const int64_t targets = state.range(2);
  const int64_t rows = state.range(3);
  constexpr int64_t kFeatures = 20;
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<int64_t> tree_ids, ids, features, if_true, if_false;
  std::vector<int64_t> vote_trees, vote_ids, vote_targets;
  std::vector<float> splits, weights;
  std::vector<std::string> modes;
  for (int64_t tree = 0; tree < trees; ++tree) {
    for (int64_t i = 0; i < 2 * inner + 1; ++i) {
      const bool leaf = i >= inner;
      tree_ids.push_back(tree);
      ids.push_back(i);
      features.push_back(static_cast<int64_t>(engine() % kFeatures));
      splits.push_back(number(engine));
      modes.emplace_back(leaf ? "LEAF" : "BRANCH_LEQ");
      if_true.push_back(leaf ? 0 : 2 * i + 1);
      if_false.push_back(leaf ? 0 : 2 * i + 2);
      for (int64_t target = 0; leaf && target < targets; ++target) {
        vote_trees.push_back(tree);
        vote_ids.push_back(i);
        vote_targets.push_back(target);
        weights.push_back(number(engine));
      }
    }
  }
  OneNode node("TreeEnsembleRegressor", 3, {RandomTensor({rows, kFeatures})}, "ai.onnx.ml");
  node.attributes() = {{"nodes_treeids", tree_ids},      {"nodes_nodeids", ids},
                       {"nodes_featureids", features},   {"nodes_values", splits},
                       {"nodes_modes", modes},           {"nodes_truenodeids", if_true},
                       {"nodes_falsenodeids", if_false}, {"target_treeids", vote_trees},
                       {"target_nodeids", vote_ids},     {"target_ids", vote_targets},
                       {"target_weights", weights},      {"n_targets", targets}};
  node.Measure(state);
}
BENCHMARK(BM_TreeEnsembleRegressor)
    ->ArgNames({"trees", "depth", "targets", "rows"})
    ->Args({100, 6, 1, 20000})
    ->Args({100, 10, 3, 10000})
    ->Args({100, 8, 1, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace onnxcmp
