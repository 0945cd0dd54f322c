// Operators that only move elements, at the sizes of a small language model.
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"

namespace onnxcmp {
namespace {

Tensor Ints(const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

void BM_TransposeHeads(benchmark::State& state) {
  OneNode node("Transpose", 13, {RandomTensor({4, 512, 12, 64})});
  node.attributes()["perm"] = std::vector<int64_t>{0, 2, 1, 3};
  node.Measure(state);
}
BENCHMARK(BM_TransposeHeads)->Unit(benchmark::kMicrosecond);

void BM_TransposeMatrix(benchmark::State& state) {
  OneNode node("Transpose", 13, {RandomTensor({state.range(0), state.range(0)})});
  node.Measure(state);
}
BENCHMARK(BM_TransposeMatrix)->Arg(1000)->Arg(1024)->Unit(benchmark::kMicrosecond);

void BM_TransposeToChannelsLast(benchmark::State& state) {
  OneNode node("Transpose", 13, {RandomTensor({1, 64, 112, 112})});
  node.attributes()["perm"] = std::vector<int64_t>{0, 2, 3, 1};
  node.Measure(state);
}
BENCHMARK(BM_TransposeToChannelsLast)->Unit(benchmark::kMicrosecond);

void BM_ConcatCache(benchmark::State& state) {
  OneNode node("Concat", 13, {RandomTensor({1, 12, 512, 64}), RandomTensor({1, 12, 512, 64})});
  node.attributes()["axis"] = int64_t{2};
  node.Measure(state);
}
BENCHMARK(BM_ConcatCache)->Unit(benchmark::kMicrosecond);

void BM_ConcatHalves(benchmark::State& state) {
  OneNode node("Concat", 13, {RandomTensor({12, 512, 32}), RandomTensor({12, 512, 32})});
  node.attributes()["axis"] = int64_t{-1};
  node.Measure(state);
}
BENCHMARK(BM_ConcatHalves)->Unit(benchmark::kMicrosecond);

void BM_GatherEmbeddings(benchmark::State& state) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 2048; ++i) ids.push_back(i * 7919 % 10000);
  OneNode node("Gather", 13, {RandomTensor({10000, 768}), Ints(ids)});
  node.Measure(state);
}
BENCHMARK(BM_GatherEmbeddings)->Unit(benchmark::kMicrosecond);

void BM_GatherElements(benchmark::State& state) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 100000; ++i) ids.push_back(i * 7919 % 10000);
  OneNode node("Gather", 13, {RandomTensor({10000}), Ints(ids)});
  node.Measure(state);
}
BENCHMARK(BM_GatherElements)->Unit(benchmark::kMicrosecond);

void BM_SliceHalf(benchmark::State& state) {
  OneNode node("Slice", 13, {RandomTensor({12, 512, 64}), Ints({32}), Ints({64}), Ints({-1})});
  node.Measure(state);
}
BENCHMARK(BM_SliceHalf)->Unit(benchmark::kMicrosecond);

void BM_SliceEverySecond(benchmark::State& state) {
  OneNode node("Slice", 13,
               {RandomTensor({12, 512, 64}), Ints({0}), Ints({64}), Ints({-1}), Ints({2})});
  node.Measure(state);
}
BENCHMARK(BM_SliceEverySecond)->Unit(benchmark::kMicrosecond);

// What a node costs that moves next to nothing: models are full of them.
void BM_SmallShapeArithmetic(benchmark::State& state) {
  switch (state.range(0)) {
    case 0:
      return OneNode("Shape", 15, {RandomTensor({1, 8, 64})}).Measure(state);
    case 1:
      return OneNode("Gather", 13, {Ints({1, 8, 64}), Tensor::Scalar<int64_t>(1)}).Measure(state);
    case 2:
      return OneNode("Unsqueeze", 13, {Tensor::Scalar<int64_t>(8), Ints({0})}).Measure(state);
    case 3: {
      OneNode node("Concat", 13, {Ints({1}), Ints({8}), Ints({64})});
      node.attributes()["axis"] = int64_t{0};
      return node.Measure(state);
    }
    default:
      return OneNode("Reshape", 13, {RandomTensor({1, 8, 64}), Ints({8, -1})}).Measure(state);
  }
}
BENCHMARK(BM_SmallShapeArithmetic)->DenseRange(0, 4);

}  // namespace
}  // namespace onnxcmp
