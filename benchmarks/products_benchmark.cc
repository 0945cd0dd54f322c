// Matrix products and convolutions on one thread. "Eigen" is the same product by Eigen, to compare
// with; benchmarks/onnxruntime_products.py measures the same cases with onnxruntime.
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "benchmark/benchmark.h"
#include "benchmarks/one_node.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {
namespace {

Tensor RandomBytes(const Shape& shape) {
  std::vector<uint8_t> values(static_cast<size_t>(*NumElements(shape)));
  uint32_t state = 1;
  for (uint8_t& value : values) value = static_cast<uint8_t>((state = state * 1664525 + 1) >> 24);
  return Tensor::Of<uint8_t>(shape, values);
}

void CountFlops(benchmark::State& state, double per_iteration) {
  state.counters["FLOP/s"] =
      benchmark::Counter(per_iteration, benchmark::Counter::kIsIterationInvariantRate);
}

// m, n, k, batch, whether B is transposed.
void Products(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"m", "n", "k", "batch", "bT"})
      ->Args({128, 768, 768, 1, 0})   // a projection of a small encoder
      ->Args({128, 3072, 768, 1, 0})  // its feed-forward layers
      ->Args({128, 768, 3072, 1, 0})
      ->Args({128, 128, 64, 12, 1})   // queries by keys
      ->Args({128, 64, 128, 12, 0})   // probabilities by values
      ->Args({2048, 512, 512, 1, 0})  // a decoder's projection of 2 x 1024 tokens
      ->Args({1, 4096, 4096, 1, 0})   // a token at a time
      ->Args({1, 1000, 2048, 1, 1})   // a classifier
      ->Args({4, 16, 8, 1, 0})
      ->Args({1000, 999, 1001, 1, 0})
      ->Unit(benchmark::kMicrosecond);
}

void BM_Gemm(benchmark::State& state) {
  const GemmShape shape = {state.range(0), state.range(1), state.range(2), state.range(3)};
  const Tensor a = RandomTensor({shape.batch, shape.m, shape.k});
  const Tensor b = RandomTensor({shape.batch, shape.k, shape.n});
  std::vector<float> c(static_cast<size_t>(shape.batch * shape.m * shape.n));
  GemmFactor<float> right = {b.data<float>(), shape.n, 1, shape.k * shape.n};
  if (state.range(4) != 0) right = {b.data<float>(), 1, shape.k, shape.k * shape.n};
  const ThreadPool pool(1);
  for (auto _ : state) {
    Gemm<float>(pool, shape, {a.data<float>(), shape.k, 1, shape.m * shape.k}, right,
                {c.data(), shape.n, shape.m * shape.n});
    benchmark::DoNotOptimize(c.data());
  }
  CountFlops(state, 2.0 * static_cast<double>(shape.batch * shape.m * shape.n * shape.k));
}
BENCHMARK(BM_Gemm)->Apply(Products);

void BM_Eigen(benchmark::State& state) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2), batch = state.range(3);
  const Tensor a = RandomTensor({batch, m, k});
  const Tensor b = RandomTensor({batch, k, n});
  std::vector<float> c(static_cast<size_t>(batch * m * n));
  for (auto _ : state) {
    for (int64_t i = 0; i < batch; ++i) {
      Eigen::Map<const Matrix> left(a.data<float>() + i * m * k, m, k);
      Eigen::Map<Matrix> product(c.data() + i * m * n, m, n);
      const float* right = b.data<float>() + i * k * n;
      if (state.range(4) != 0) {
        product.noalias() = left * Eigen::Map<const Matrix>(right, n, k).transpose();
      } else {
        product.noalias() = left * Eigen::Map<const Matrix>(right, k, n);
      }
    }
    benchmark::DoNotOptimize(c.data());
  }
  CountFlops(state, 2.0 * static_cast<double>(batch * m * n * k));
}
BENCHMARK(BM_Eigen)->Apply(Products);

// An operator with all that is around it.
void BM_MatMulOperator(benchmark::State& state) {
  OneNode node("MatMul", 13, {RandomTensor({4, 8}), RandomTensor({8, 16})});
  node.Measure(state);
}
BENCHMARK(BM_MatMulOperator)->Unit(benchmark::kMicrosecond);

void BM_MatMulInteger(benchmark::State& state) {
  const auto bytes = [](int64_t rows, int64_t columns) {
    return Tensor::Of<uint8_t>({rows, columns},
                               std::vector<uint8_t>(static_cast<size_t>(rows * columns), 3));
  };
  OneNode node("MatMulInteger", 10, {bytes(128, 768), bytes(768, 768)});
  node.Measure(state);
  CountFlops(state, 2.0 * 128 * 768 * 768);
}
BENCHMARK(BM_MatMulInteger)->Unit(benchmark::kMicrosecond);

// Channels in and out, group, size of the image, kernel, stride; padded to keep the size.
void Convolutions(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"in", "out", "group", "size", "kernel", "stride"})
      ->Args({3, 64, 1, 224, 7, 2})
      ->Args({64, 64, 1, 56, 3, 1})
      ->Args({256, 64, 1, 56, 1, 1})
      ->Args({64, 256, 1, 56, 1, 1})
      ->Args({256, 512, 1, 56, 1, 2})
      ->Args({256, 256, 1, 14, 3, 1})
      ->Args({512, 512, 1, 7, 3, 1})
      ->Args({2048, 512, 1, 7, 1, 1})
      ->Args({96, 96, 96, 56, 3, 1})  // depthwise
      ->Unit(benchmark::kMicrosecond);
}

// Measures a convolution of the sizes that Convolutions lists.
void MeasureConvolution(OneNode& node, benchmark::State& state) {
  const int64_t in = state.range(0), out = state.range(1), group = state.range(2);
  const int64_t size = state.range(3), kernel = state.range(4), stride = state.range(5);
  node.attributes()["group"] = group;
  node.attributes()["strides"] = std::vector<int64_t>{stride, stride};
  node.attributes()["pads"] = std::vector<int64_t>(4, kernel / 2);
  node.Measure(state);
  const int64_t windows = (size / stride) * (size / stride);
  const int64_t products = out * in / group * kernel * kernel;
  CountFlops(state, 2.0 * static_cast<double>(windows * products));
}

void BM_Conv(benchmark::State& state) {
  const int64_t in = state.range(0), out = state.range(1), group = state.range(2);
  const int64_t size = state.range(3), kernel = state.range(4);
  OneNode node(
      "Conv", 22,
      {RandomTensor({1, in, size, size}), RandomTensor({out, in / group, kernel, kernel})});
  MeasureConvolution(node, state);
}
BENCHMARK(BM_Conv)->Apply(Convolutions);

// The same of 8-bit integers.
void BM_QLinearConv(benchmark::State& state) {
  const int64_t in = state.range(0), out = state.range(1), group = state.range(2);
  const int64_t size = state.range(3), kernel = state.range(4);
  OneNode node(
      "QLinearConv", 10,
      {RandomBytes({1, in, size, size}), Tensor::Scalar(0.02f), Tensor::Scalar<uint8_t>(120),
       RandomBytes({out, in / group, kernel, kernel}), Tensor::Scalar(0.01f),
       Tensor::Scalar<uint8_t>(128), Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(128)});
  MeasureConvolution(node, state);
}
BENCHMARK(BM_QLinearConv)->Apply(Convolutions);

// m, n, k.
void BM_QLinearMatMul(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  OneNode node("QLinearMatMul", 10,
               {RandomBytes({m, k}), Tensor::Scalar(0.02f), Tensor::Scalar<uint8_t>(120),
                RandomBytes({k, n}), Tensor::Scalar(0.01f), Tensor::Scalar<uint8_t>(128),
                Tensor::Scalar(0.5f), Tensor::Scalar<uint8_t>(128)});
  node.Measure(state);
  CountFlops(state, 2.0 * static_cast<double>(m * n * k));
}
BENCHMARK(BM_QLinearMatMul)
    ->ArgNames({"m", "n", "k"})
    ->Args({128, 768, 768})
    ->Args({128, 3072, 768})
    ->Args({128, 768, 3072})
    ->Args({2048, 512, 512})
    ->Args({1, 4096, 4096})
    ->Unit(benchmark::kMicrosecond);

// Weights of 4 or 8 bits in blocks of 32.
void BM_MatMulNBits(benchmark::State& state) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2), bits = state.range(3);
  OneNode node(
      "MatMulNBits", 1,
      {RandomTensor({m, k}), RandomBytes({n, k / 32, 4 * bits}), RandomTensor({n, k / 32})},
      "com.microsoft");
  node.attributes()["N"] = n;
  node.attributes()["K"] = k;
  node.attributes()["bits"] = bits;
  node.attributes()["block_size"] = int64_t{32};
  node.Measure(state);
  CountFlops(state, 2.0 * static_cast<double>(m * n * k));
}
BENCHMARK(BM_MatMulNBits)
    ->ArgNames({"m", "n", "k", "bits"})
    ->Args({1, 4096, 4096, 4})
    ->Args({16, 4096, 4096, 4})
    ->Args({128, 4096, 4096, 4})
    ->Args({1, 4096, 4096, 8})
    ->Args({128, 4096, 4096, 8})
    ->Unit(benchmark::kMicrosecond);

void BM_MaxPool(benchmark::State& state) {
  OneNode node("MaxPool", 12, {RandomTensor({1, 64, 112, 112})});
  node.attributes()["kernel_shape"] = std::vector<int64_t>{3, 3};
  node.attributes()["strides"] = std::vector<int64_t>{2, 2};
  node.attributes()["pads"] = std::vector<int64_t>{1, 1, 1, 1};
  node.Measure(state);
}
BENCHMARK(BM_MaxPool)->Unit(benchmark::kMicrosecond);

void BM_QuantizeLinear(benchmark::State& state) {
  OneNode node("QuantizeLinear", 13, {RandomTensor({512, 768}), Tensor::Scalar(0.01f)});
  node.Measure(state);
}
BENCHMARK(BM_QuantizeLinear)->Unit(benchmark::kMicrosecond);

void BM_DequantizeLinear(benchmark::State& state) {
  OneNode node(
      "DequantizeLinear", 13,
      {Tensor::Of<int8_t>({768, 768}, std::vector<int8_t>(768 * 768, 5)), RandomTensor({768})});
  node.Measure(state);
}
BENCHMARK(BM_DequantizeLinear)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace onnxcmp
