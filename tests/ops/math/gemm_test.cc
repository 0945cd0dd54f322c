#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor A() { return Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}); }
const Tensor B() { return Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }

TEST(Gemm, TransposesScalesAndAdds) {
  ExpectTensor(OpTest("Gemm", 13).Input(A()).Input(B()).Run(),
               Tensor::Of<float>({2, 2}, {22, 28, 49, 64}));
  OpTest test("Gemm", 11);
  test.Attr("transA", 1).Attr("transB", 1).Attr("alpha", 0.5f).Attr("beta", 2.0f);
  ExpectTensor(test.Input(A()).Input(B()).Input(Tensor::Of<float>({3}, {1, 2, 3})).Run(),
               Tensor::Of<float>({3, 3}, {6.5f, 13.5f, 20.5f, 8, 17, 26, 9.5f, 20.5f, 31.5f}));
}

TEST(Gemm, CIsBroadcast) {
  const auto with = [](const Tensor& c) {
    return OpTest("Gemm", 7).Input(A()).Input(B()).Input(c).Run();
  };
  const Tensor row = Tensor::Of<float>({2, 2}, {23, 38, 50, 74});
  ExpectTensor(with(Tensor::Of<float>({2}, {1, 10})), row);
  ExpectTensor(with(Tensor::Of<float>({1, 2}, {1, 10})), row);
  ExpectTensor(with(Tensor::Of<float>({2, 1}, {1, 10})),
               Tensor::Of<float>({2, 2}, {23, 29, 59, 74}));
  ExpectTensor(with(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})),
               Tensor::Of<float>({2, 2}, {23, 30, 52, 68}));
  ExpectTensor(with(AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 3, 4}))),
               Tensor::Of<float>({2, 2}, {23, 30, 52, 68}));
  const Tensor all = Tensor::Of<float>({2, 2}, {23, 29, 50, 65});
  ExpectTensor(with(Tensor::Scalar(1.0f)), all);
  ExpectTensor(with(Tensor::Of<float>({1, 1}, {1})), all);
}

TEST(Gemm, BeforeVersion7BroadcastIsAnAttribute) {
  const Tensor c = Tensor::Of<float>({2}, {1, 10});
  ExpectTensor(OpTest("Gemm", 6).Attr("broadcast", 1).Input(A()).Input(B()).Input(c).Run(),
               Tensor::Of<float>({2, 2}, {23, 38, 50, 74}));
  ExpectError(OpTest("Gemm", 1).Input(A()).Input(B()).Input(c).Run().status(), kInvalid,
              "without broadcast");
}

TEST(Gemm, BetaZeroIgnoresC) {
  ExpectTensor(
      OpTest("Gemm", 13).Attr("beta", 0.0f).Input(A()).Input(B()).Input(Tensor::Scalar(NAN)).Run(),
      Tensor::Of<float>({2, 2}, {22, 28, 49, 64}));
}

TEST(Gemm, NarrowFloatsAreRoundedOnce) {
  // 2048 + 1 + 1 in float16: one addition at a time stays at 2048.
  const auto half = [](const Tensor& x) { return Convert(x, DType::kFloat16); };
  ExpectTensor(OpTest("Gemm", 13)
                   .Input(half(Tensor::Of<float>({1, 2}, {2048, 1})))
                   .Input(half(Tensor::Of<float>({2, 1}, {1, 1})))
                   .Input(half(Tensor::Scalar(1.0f)))
                   .Run(),
               half(Tensor::Of<float>({1, 1}, {2050})));
}

TEST(Gemm, Integers) {
  const int64_t big = (int64_t{1} << 53) + 1;
  ExpectTensor(OpTest("Gemm", 13)
                   .Input(Tensor::Of<int64_t>({1, 1}, {big}))
                   .Input(Tensor::Of<int64_t>({1, 1}, {1}))
                   .Input(Tensor::Scalar<int64_t>(2))
                   .Run(),
               Tensor::Of<int64_t>({1, 1}, {big + 2}));
  ExpectTensor(OpTest("Gemm", 13)
                   .Attr("alpha", 0.5f)
                   .Input(Tensor::Of<int32_t>({1, 1}, {-5}))
                   .Input(Tensor::Of<int32_t>({1, 1}, {1}))
                   .Run(),
               Tensor::Of<int32_t>({1, 1}, {-2}));
  ExpectTensor(OpTest("Gemm", 13)
                   .Attr("alpha", 1e30f)
                   .Input(Tensor::Of<uint64_t>({1, 1}, {7}))
                   .Input(Tensor::Of<uint64_t>({1, 1}, {1}))
                   .Run(),
               Tensor::Of<uint64_t>({1, 1}, {UINT64_MAX}));
}

TEST(Gemm, RefusesWhatDoesNotFit) {
  ExpectError(OpTest("Gemm", 13).Input(A()).Input(A()).Run().status(), kInvalid, "has 3 columns");
  ExpectError(OpTest("Gemm", 13).Input(Tensor::Of<float>({1}, {1})).Input(A()).Run().status(),
              kInvalid, "must be matrices");
  const Tensor c = Tensor::Of<float>({3}, {1, 2, 3});
  ExpectError(OpTest("Gemm", 13).Input(A()).Input(B()).Input(c).Run().status(), kInvalid,
              "cannot be added");
}

}  // namespace
}  // namespace onnxcmp::testing
