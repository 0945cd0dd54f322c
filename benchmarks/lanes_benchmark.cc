// Operators that work lane by lane, at the sizes of small language models and taggers.
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"

namespace onnxcmp {
namespace {

void BM_SoftmaxRows(benchmark::State& state) {
  OneNode node("Softmax", 13, {RandomTensor({1024, 1024})});
  node.Measure(state);
}
BENCHMARK(BM_SoftmaxRows)->Unit(benchmark::kMicrosecond);

void BM_SoftmaxColumns(benchmark::State& state) {
  OneNode node("Softmax", 13, {RandomTensor({1024, 1024})});
  node.attributes()["axis"] = int64_t{0};
  node.Measure(state);
}
BENCHMARK(BM_SoftmaxColumns)->Unit(benchmark::kMicrosecond);

void BM_LayerNormalization(benchmark::State& state) {
  OneNode node("LayerNormalization", 17,
               {RandomTensor({1024, 768}), RandomTensor({768}), RandomTensor({768})});
  node.Measure(state);
}
BENCHMARK(BM_LayerNormalization)->Unit(benchmark::kMicrosecond);

void BM_ReduceSum(benchmark::State& state) {
  OneNode node("ReduceSum", 13,
               {RandomTensor({1024, 1024}), Tensor::Of<int64_t>({1}, {state.range(0)})});
  node.Measure(state);
}
BENCHMARK(BM_ReduceSum)->ArgName("axis")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void BM_ReduceMeanTiny(benchmark::State& state) {
  OneNode node("ReduceMean", 18, {RandomTensor({2, 4}), Tensor::Of<int64_t>({1}, {-1})});
  node.Measure(state);
}
BENCHMARK(BM_ReduceMeanTiny)->Unit(benchmark::kNanosecond);

void BM_SoftmaxTiny(benchmark::State& state) {
  OneNode node("Softmax", 13, {RandomTensor({2, 4})});
  node.Measure(state);
}
BENCHMARK(BM_SoftmaxTiny)->Unit(benchmark::kNanosecond);

void BM_BatchNormalization(benchmark::State& state) {
  OneNode node("BatchNormalization", 15,
               {RandomTensor({1, 64, 56, 56}), RandomTensor({64}), RandomTensor({64}),
                RandomTensor({64}), RandomTensor({64})});
  node.Measure(state);
}
BENCHMARK(BM_BatchNormalization)->Unit(benchmark::kMicrosecond);

void BM_LstmStep(benchmark::State& state) {
  const int64_t batch = state.range(0);
  OneNode node("LSTM", 14,
               {RandomTensor({1, batch, 256}), RandomTensor({1, 1024, 256}),
                RandomTensor({1, 1024, 256}), RandomTensor({1, 2048})});
  node.Measure(state);
}
BENCHMARK(BM_LstmStep)->ArgName("batch")->Arg(1)->Arg(32)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace onnxcmp
