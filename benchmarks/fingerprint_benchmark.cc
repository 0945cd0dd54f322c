// What it costs to remember a result instead of keeping it.
#include <cstdint>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"
#include "compare/streams/fingerprint.h"

namespace onnxcmp {
namespace {

void Measure(benchmark::State& state, const Tensor& tensor) {
  const Value value(tensor);
  for (auto _ : state) {
    benchmark::DoNotOptimize(FingerprintOf(value));
  }
  state.SetBytesProcessed(state.iterations() * tensor.byte_size());
}

void BM_Fingerprint(benchmark::State& state) { Measure(state, RandomTensor({state.range(0)})); }
BENCHMARK(BM_Fingerprint)
    ->Arg(1)
    ->Arg(4)
    ->Arg(64)
    ->Arg(1 << 10)
    ->Arg(1 << 14)
    ->Arg(1 << 18)
    ->Arg(1 << 24);

void BM_FingerprintOfTransposedHeads(benchmark::State& state) {
  const Tensor tensor = RandomTensor({4, 512, 12, 64});
  Measure(state, tensor.Strided({4, 12, 512, 64}, {393216, 64, 768, 1}, 0));
}
BENCHMARK(BM_FingerprintOfTransposedHeads);

void BM_FingerprintOfTransposedMatrix(benchmark::State& state) {
  Measure(state, RandomTensor({1024, 1024}).Strided({1024, 1024}, {1, 1024}, 0));
}
BENCHMARK(BM_FingerprintOfTransposedMatrix);

void BM_FingerprintOfIntegers(benchmark::State& state) {
  Measure(state, *Tensor::Allocate(DType::kInt64, {1 << 18}));
}
BENCHMARK(BM_FingerprintOfIntegers);

void BM_FingerprintOfHalves(benchmark::State& state) {
  Measure(state, *Tensor::Allocate(DType::kFloat16, {1 << 18}));
}
BENCHMARK(BM_FingerprintOfHalves);

void BM_FingerprintOfBytes(benchmark::State& state) {
  Measure(state, *Tensor::Allocate(DType::kUint8, {1 << 18}));
}
BENCHMARK(BM_FingerprintOfBytes);

void BM_ContentOf(benchmark::State& state) {
  const Value value(RandomTensor({state.range(0)}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(ContentOf(value));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
}
BENCHMARK(BM_ContentOf)->Arg(1 << 18)->Arg(1 << 24);

void BM_Letters(benchmark::State& state) {
  const Value value(RandomTensor({state.range(0)}));
  for (auto _ : state) {
    benchmark::DoNotOptimize(LettersOf(value));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * 4);
}
BENCHMARK(BM_Letters)->Arg(1 << 18)->Arg(1 << 24);

}  // namespace
}  // namespace onnxcmp
