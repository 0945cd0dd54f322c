// What it costs to remember a result instead of keeping it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "record/streams/fingerprint.h"

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

// What comparisons look at, of each type: 8 MiB, without letters, beside a copy of the same bytes.
Tensor RandomOf(DType dtype, int64_t bytes) {
  const int64_t count = bytes * 8 / BitWidth(dtype);
  const Tensor floats = RandomTensor({count});
  Tensor tensor = *Tensor::Allocate(dtype, {count});
  StoreElements(dtype, floats.data<float>(), count, tensor.mutable_raw_data(), 0);
  return tensor;
}

void BM_LookAt(benchmark::State& state) {
  const Tensor tensor = RandomOf(static_cast<DType>(state.range(0)), int64_t{8} << 20);
  state.SetLabel(std::string(DTypeName(tensor.dtype())));
  const Value value(tensor);
  for (auto _ : state) {
    benchmark::DoNotOptimize(FingerprintOf(value, {.letters = false}));
  }
  state.SetBytesProcessed(state.iterations() * tensor.byte_size());
}
BENCHMARK(BM_LookAt)
    ->Arg(static_cast<int64_t>(DType::kFloat))
    ->Arg(static_cast<int64_t>(DType::kDouble))
    ->Arg(static_cast<int64_t>(DType::kFloat16))
    ->Arg(static_cast<int64_t>(DType::kBfloat16))
    ->Arg(static_cast<int64_t>(DType::kInt64))
    ->Arg(static_cast<int64_t>(DType::kInt32))
    ->Arg(static_cast<int64_t>(DType::kInt8));

void BM_Memcpy(benchmark::State& state) {
  const Tensor tensor = RandomTensor({int64_t{2} << 20});
  std::vector<std::byte> copy(static_cast<size_t>(tensor.byte_size()));
  for (auto _ : state) {
    std::memcpy(copy.data(), tensor.raw_data(), copy.size());
    benchmark::DoNotOptimize(copy.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * tensor.byte_size());
}
BENCHMARK(BM_Memcpy);

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
