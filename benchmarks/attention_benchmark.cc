// The attention operators of com.microsoft on one thread; benchmarks/onnxruntime_attention.py runs
// them beside onnxruntime's.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Tokens, those before them, heads, head size.
void BM_MultiHeadAttention(benchmark::State& state) {
  const int64_t tokens = state.range(0), past = state.range(1);
  const int64_t heads = state.range(2), size = state.range(3);
  std::vector<Value> inputs;
  for (int i = 0; i < 3; ++i) inputs.emplace_back(RandomTensor({1, tokens, heads * size}));
  if (past > 0) {
    inputs.resize(6);
    for (int i = 0; i < 2; ++i) inputs.emplace_back(RandomTensor({1, heads, past, size}));
  }
  OneNode node("MultiHeadAttention", 1, std::move(inputs), std::string(kMicrosoftDomain),
               /*outputs=*/3);
  node.attributes()["num_heads"] = heads;
  node.Measure(state);
}
BENCHMARK(BM_MultiHeadAttention)
    ->ArgNames({"tokens", "past", "heads", "size"})
    ->Args({128, 0, 12, 64})
    ->Args({512, 0, 8, 64})
    ->Args({1, 1023, 16, 64})
    ->Unit(benchmark::kMicrosecond);

// Tokens, those before them, heads of queries, heads of keys, head size.
void BM_GroupQueryAttention(benchmark::State& state) {
  const int64_t tokens = state.range(0), past = state.range(1);
  const int64_t heads = state.range(2), kv_heads = state.range(3), size = state.range(4);
  std::vector<Value> inputs = {RandomTensor({1, tokens, heads * size})};
  for (int i = 0; i < 2; ++i) inputs.emplace_back(RandomTensor({1, tokens, kv_heads * size}));
  for (int i = 0; i < 2; ++i) inputs.emplace_back(RandomTensor({1, kv_heads, past, size}));
  const auto total = static_cast<int32_t>(past + tokens);
  inputs.emplace_back(Tensor::Of<int32_t>({1}, {total - 1}));
  inputs.emplace_back(Tensor::Of<int32_t>({1}, {total}));
  for (int i = 0; i < 2; ++i) inputs.emplace_back(RandomTensor({total, size / 2}));
  OneNode node("GroupQueryAttention", 1, std::move(inputs), std::string(kMicrosoftDomain),
               /*outputs=*/3);
  node.attributes()["num_heads"] = heads;
  node.attributes()["kv_num_heads"] = kv_heads;
  node.attributes()["do_rotary"] = int64_t{1};
  node.Measure(state);
}
BENCHMARK(BM_GroupQueryAttention)
    ->ArgNames({"tokens", "past", "heads", "kv_heads", "size"})
    ->Args({256, 0, 14, 2, 64})
    ->Args({1, 1023, 14, 2, 64})
    ->Args({512, 0, 32, 8, 64})
    ->Args({1, 1023, 32, 8, 128})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace onnxcmp
