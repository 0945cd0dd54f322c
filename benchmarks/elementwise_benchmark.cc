// Elementwise operators on floats, in the second-level cache (64 rows) and beyond all of them
// (4096 rows). ns_per_element counts elements of the output, bytes_per_second its bytes.
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"

namespace onnxcmp {
namespace {

constexpr int64_t kColumns = 768;

void Measure(benchmark::State& state, const OneNode& node) {
  node.Measure(state);
  state.counters["ns_per_element"] =
      benchmark::Counter(static_cast<double>(state.iterations() * state.range(0) * kColumns) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

Tensor Left(const benchmark::State& state) { return RandomTensor({state.range(0), kColumns}); }

void BM_AddContiguous(benchmark::State& state) {
  Measure(state, OneNode("Add", 14, {Left(state), Left(state)}));
}
void BM_AddRow(benchmark::State& state) {
  Measure(state, OneNode("Add", 14, {Left(state), RandomTensor({kColumns})}));
}
void BM_AddColumn(benchmark::State& state) {
  Measure(state, OneNode("Add", 14, {Left(state), RandomTensor({state.range(0), 1})}));
}
void BM_MulScalar(benchmark::State& state) {
  Measure(state, OneNode("Mul", 14, {Left(state), RandomTensor({})}));
}
void BM_DivTransposed(benchmark::State& state) {
  const Tensor right = RandomTensor({kColumns, state.range(0)});
  Measure(state, OneNode("Div", 14,
                         {Left(state),
                          right.Strided({state.range(0), kColumns}, {1, state.range(0)}, 0)}));
}
void BM_PowSquare(benchmark::State& state) {
  Measure(state, OneNode("Pow", 15, {Left(state), Tensor::Scalar<float>(2)}));
}
void BM_Greater(benchmark::State& state) {
  Measure(state, OneNode("Greater", 13, {Left(state), RandomTensor({})}));
}
void BM_CastToHalf(benchmark::State& state) {
  OneNode node("Cast", 13, {Left(state)});
  node.attributes()["to"] = static_cast<int64_t>(DType::kFloat16);
  Measure(state, node);
}
void BM_Unary(benchmark::State& state, const std::string& op) {
  Measure(state, OneNode(op, 14, {Left(state)}));
}
void BM_Gelu(benchmark::State& state) {
  Measure(state, OneNode("Gelu", 1, {Left(state)}, "com.microsoft"));
}

#define ONNXCMP_SIZES ->Arg(64)->Arg(4096)->Unit(benchmark::kMicrosecond)
BENCHMARK(BM_AddContiguous) ONNXCMP_SIZES;
BENCHMARK(BM_AddRow) ONNXCMP_SIZES;
BENCHMARK(BM_AddColumn) ONNXCMP_SIZES;
BENCHMARK(BM_MulScalar) ONNXCMP_SIZES;
BENCHMARK(BM_DivTransposed) ONNXCMP_SIZES;
BENCHMARK(BM_PowSquare) ONNXCMP_SIZES;
BENCHMARK(BM_Greater) ONNXCMP_SIZES;
BENCHMARK(BM_CastToHalf) ONNXCMP_SIZES;
BENCHMARK_CAPTURE(BM_Unary, Relu, "Relu") ONNXCMP_SIZES;
BENCHMARK_CAPTURE(BM_Unary, Erf, "Erf") ONNXCMP_SIZES;
BENCHMARK_CAPTURE(BM_Unary, Tanh, "Tanh") ONNXCMP_SIZES;
BENCHMARK_CAPTURE(BM_Unary, Sigmoid, "Sigmoid") ONNXCMP_SIZES;
BENCHMARK_CAPTURE(BM_Unary, Sin, "Sin") ONNXCMP_SIZES;
BENCHMARK(BM_Gelu) ONNXCMP_SIZES;

}  // namespace
}  // namespace onnxcmp
