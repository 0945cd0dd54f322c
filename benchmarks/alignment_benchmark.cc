// Aligning result streams: of `layers` layers of 63 results each, a renamed, reordered, folded and
// fused right side, with and without rounding noise.
#include <cstdint>

#include "benchmark/benchmark.h"
#include "compare/alignment/alignment.h"
#include "tests/support/graph_variants.h"

namespace onnxcmp {
namespace {

void Measure(benchmark::State& state, double noise, int64_t width, double crowding = 0) {
  const testing::StreamPair pair = testing::MakeVariant({.seed = 1,
                                                         .layers = static_cast<int>(state.range(0)),
                                                         .width = width,
                                                         .rows = width,
                                                         .crowding = crowding,
                                                         .rename = true,
                                                         .reorder = true,
                                                         .fold = true,
                                                         .deduplicate = true,
                                                         .fuse = 0.3,
                                                         .noise = noise});
  for (auto _ : state) benchmark::DoNotOptimize(Align(pair.left, pair.right));
  state.counters["left"] = static_cast<double>(pair.left.results.size());
  state.counters["right"] = static_cast<double>(pair.right.results.size());
}

void BM_AlignEqualBits(benchmark::State& state) { Measure(state, 0, 4); }
void BM_AlignNoisy(benchmark::State& state) { Measure(state, 1e-6, 4); }
// Four elements a result, and neighbours that differ by 1e-5.
void BM_AlignCrowded(benchmark::State& state) { Measure(state, 1e-7, 2, 1e-5); }

BENCHMARK(BM_AlignEqualBits)->Arg(32)->Arg(320)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AlignNoisy)->Arg(32)->Arg(320)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AlignCrowded)->Arg(32)->Arg(320)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace onnxcmp
