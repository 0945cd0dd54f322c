#include <gtest/gtest.h>

#include <array>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<Tensor> MatMul(const Tensor& a, const Tensor& b, int opset = 13) {
  return OpTest("MatMul", opset).Input(a).Input(b).Run();
}

TEST(MatMul, Matrices) {
  const Tensor a = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor want = Tensor::Of<float>({2, 2}, {22, 28, 49, 64});
  ExpectTensor(MatMul(a, b, 1), want);
  ExpectTensor(MatMul(AsStridedView(a), AsStridedView(b)), want);
  ExpectTensor(MatMul(Convert(a, DType::kDouble), Convert(b, DType::kDouble)),
               Convert(want, DType::kDouble));
  ExpectTensor(MatMul(Convert(a, DType::kBfloat16), Convert(b, DType::kBfloat16)),
               Convert(want, DType::kBfloat16));
}

TEST(MatMul, VectorsAreRowsOnTheLeftAndColumnsOnTheRight) {
  const Tensor v = Tensor::Of<float>({2}, {1, 10});
  const Tensor m = Tensor::Of<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  ExpectTensor(MatMul(v, v), Tensor::Scalar(101.0f));
  ExpectTensor(MatMul(v, m), Tensor::Of<float>({2, 2}, {31, 42, 75, 86}));
  ExpectTensor(MatMul(m, v), Tensor::Of<float>({2, 2}, {21, 43, 65, 87}));
}

TEST(MatMul, BatchesBroadcast) {
  const Tensor a = Tensor::Of<float>({2, 1, 1, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::Of<float>({3, 2, 1}, {1, 1, 10, 10, 1, 0});
  ExpectTensor(MatMul(a, b), Tensor::Of<float>({2, 3, 1, 1}, {3, 30, 1, 7, 70, 3}));
  // Rows of all batches meet one matrix; also as a view with gaps.
  const Tensor one = Tensor::Of<float>({1, 2, 1}, {1, 10});
  ExpectTensor(MatMul(a, one), Tensor::Of<float>({2, 1, 1, 1}, {21, 43}));
  ExpectTensor(MatMul(AsStridedView(a), one), Tensor::Of<float>({2, 1, 1, 1}, {21, 43}));
  // An expanded left factor.
  const Tensor expanded = a.Strided({3, 2, 2}, {0, 2, 1}, 0);
  ExpectTensor(MatMul(expanded, b), Tensor::Of<float>({3, 2, 1}, {3, 7, 30, 70, 1, 3}));
}

TEST(MatMul, IntegersAreExactAndWrapAround) {
  const int64_t big = (int64_t{1} << 53) + 1;
  ExpectTensor(MatMul(Tensor::Of<int64_t>({1, 2}, {big, INT64_MAX}),
                      Tensor::Of<int64_t>({2, 2}, {1, 0, 0, 2})),
               Tensor::Of<int64_t>({1, 2}, {big, -2}));
  ExpectTensor(MatMul(Tensor::Of<uint64_t>({1}, {UINT64_MAX}), Tensor::Of<uint64_t>({1}, {2})),
               Tensor::Scalar<uint64_t>(UINT64_MAX - 1));
  ExpectTensor(MatMul(Tensor::Of<int32_t>({1}, {INT32_MIN}), Tensor::Of<int32_t>({1}, {-1})),
               Tensor::Scalar<int32_t>(INT32_MIN));
  ExpectTensor(MatMul(Tensor::Of<uint32_t>({1}, {3}), Tensor::Of<uint32_t>({1}, {UINT32_MAX})),
               Tensor::Scalar<uint32_t>(UINT32_MAX - 2));
}

TEST(MatMul, EmptySumsAreZeroAndEmptyBatchesEmpty) {
  const auto empty = [](const Shape& shape) { return Tensor::Of<float>(shape, {}); };
  ExpectTensor(MatMul(empty({2, 0}), empty({0, 2})), Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
  ExpectTensor(MatMul(empty({0, 2, 3}), Tensor::Of<float>({3, 1}, {1, 2, 3})), empty({0, 2, 1}));
}

TEST(MatMul, ARowAloneHasTheBitsThatItHasAmongOthers) {
  const Tensor a = RandomFloats({70, 300}, 1);
  const Tensor b = RandomFloats({300, 90}, 2);
  const auto all = OpTest("MatMul", 13).Input(a).Input(b).Threads(1).Run();
  ExpectSameBits(OpTest("MatMul", 13).Input(a).Input(b).Threads(2).Run(), *all);
  for (int64_t row : {0, 37, 69}) {
    const Tensor alone = a.Strided({300}, {1}, row * 300);
    ExpectSameBits(MatMul(alone, b), *all->Strided({90}, {1}, row * 90).Contiguous());
  }
}

TEST(MatMul, NarrowFloatsAreSummedAsFloatsAndRoundedOnce) {
  const auto expect = [](const Tensor& a, const Tensor& b) {
    const auto as_float = [](const Tensor& tensor) {
      return Convert(*tensor.Contiguous(), DType::kFloat);
    };
    const auto wide = MatMul(as_float(a), as_float(b));
    ASSERT_TRUE(wide.ok()) << wide.status();
    ExpectSameBits(MatMul(a, b), Convert(*wide, a.dtype()));
  };
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    for (const auto& [m, k, n] : std::vector<std::array<int64_t, 3>>{
             {1, 3, 1}, {5, 300, 33}, {60, 600, 40}, {70, 40, 700}, {300, 260, 20}}) {
      const Tensor a = Convert(RandomFloats({2, m, k}, 1), dtype);
      const Tensor b = Convert(RandomFloats({2, k, n}, 2), dtype);
      expect(a, b);
      expect(a, b.Strided({k, n}, {n, 1}, k * n));
      expect(a, b.Strided({2, k, n}, {k * n, 1, k}, 0));  // transposed
      expect(a, b.Strided({k, n / 2 + 1}, {1, 2 * k - 2}, 1));
    }
  }
}

TEST(MatMul, RefusesWhatDoesNotFit) {
  const auto of = [](const Shape& shape) {
    return Tensor::Of<float>(shape, std::vector<float>(static_cast<size_t>(*NumElements(shape))));
  };
  ExpectError(MatMul(of({}), of({1})).status(), kInvalid, "a scalar is no matrix");
  ExpectError(MatMul(of({2, 3}), of({2, 3})).status(), kInvalid, "3 columns meet 2 rows");
  ExpectError(MatMul(of({2, 1, 1}), of({3, 1, 1})).status(), kInvalid, "batches of 2 and 3");
}

}  // namespace
}  // namespace onnxcmp::testing
