#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Every group is {-1, 1} times something, so that its standardization is {-1, 1}.
const Tensor X() { return Tensor::Of<float>({1, 4, 1}, {-1, 1, 10, 20}); }

OpTest Group(int opset, const Tensor& x, const Tensor& scale, const Tensor& bias, int groups) {
  OpTest test("GroupNormalization", opset);
  test.Attr("num_groups", groups).Attr("epsilon", 0.0f).Input(x).Input(scale).Input(bias);
  return test;
}

TEST(GroupNormalization, ScalesChannelsSinceVersion21) {
  const Tensor scale = Tensor::Of<float>({4}, {1, 2, 3, 4});
  const Tensor bias = Tensor::Of<float>({4}, {0, 0, 100, 200});
  ExpectTensor(Group(21, AsStridedView(X()), scale, bias, 2).Run(),
               Tensor::Of<float>({1, 4, 1}, {-1, 2, 97, 204}));
  ExpectTensor(Group(21, Convert(X(), DType::kDouble), Convert(scale, DType::kDouble),
                     Convert(bias, DType::kDouble), 2)
                   .Run(),
               Tensor::Of<double>({1, 4, 1}, {-1, 2, 97, 204}));
}

TEST(GroupNormalization, ScalesGroupsInVersion18) {
  ExpectTensor(
      Group(18, X(), Tensor::Of<float>({2}, {2, 3}), Tensor::Of<float>({2}, {0, 100}), 2).Run(),
      Tensor::Of<float>({1, 4, 1}, {-2, 2, 97, 103}));
}

TEST(GroupNormalization, RefusesWhatDoesNotFit) {
  const Tensor four = Tensor::Of<float>({4}, {1, 1, 1, 1});
  ExpectError(Group(21, X(), four, four, 3).Run().status(), kInvalid,
              "4 channels cannot be cut into 3 groups");
  ExpectError(Group(21, X(), four, four, 0).Run().status(), kInvalid,
              "num_groups must be positive, not 0");
  ExpectError(Group(18, X(), four, four, 2).Run().status(), kInvalid,
              "scale has shape [4], but there are 2 groups");
  ExpectError(Group(21, X(), four, four, 2).Attr("stash_type", 7).Run().status(), kInvalid,
              "stash_type 7 is not a type of floats");
}

TEST(InstanceNormalization, NormalizesEveryChannel) {
  const auto run = [](int opset, const Tensor& x, const Tensor& scale, const Tensor& bias) {
    return OpTest("InstanceNormalization", opset)
        .Attr("epsilon", 0.0f)
        .Input(x)
        .Input(scale)
        .Input(bias)
        .Run();
  };
  const Tensor x = Tensor::Of<float>({2, 2, 2}, {-1, 1, 10, 30, 4, 0, 1e6f, 1e6f + 2});
  const Tensor scale = Tensor::Of<float>({2}, {1, 10});
  const Tensor bias = Tensor::Of<float>({2}, {0, 5});
  const Tensor y = Tensor::Of<float>({2, 2, 2}, {-1, 1, -5, 15, 1, -1, -5, 15});
  ExpectTensor(run(6, x, scale, bias), y);
  ExpectTensor(run(22, AsStridedView(x), scale, bias), y);
  ExpectTensor(run(22, Tensor::Of<float>({0, 2, 3}, {}), scale, bias),
               Tensor::Of<float>({0, 2, 3}, {}));
  ExpectTensor(run(1, Tensor::Of<float>({1, 2, 1, 2}, {NAN, 1, -1, 1}), scale, bias),
               Tensor::Of<float>({1, 2, 1, 2}, {NAN, NAN, -5, 15}));
  ExpectError(run(22, Tensor::Of<float>({1, 3, 1}, {1, 2, 3}), scale, bias).status(), kInvalid,
              "scale has shape [2], but there are 3 channels");
  ExpectError(run(22, Tensor::Of<float>({3}, {1, 2, 3}), scale, bias).status(), kInvalid,
              "batch and channels");
}

// Half floats are computed in float: the squares of 300 do not fit into halves.
TEST(InstanceNormalization, ComputesHalvesInFloat) {
  const auto half = [](const Tensor& x) { return Convert(x, DType::kFloat16); };
  ExpectTensor(OpTest("InstanceNormalization", 22)
                   .Input(half(Tensor::Of<float>({1, 1, 2}, {-300, 300})))
                   .Input(half(Tensor::Of<float>({1}, {2})))
                   .Input(half(Tensor::Of<float>({1}, {1})))
                   .Run(),
               half(Tensor::Of<float>({1, 1, 2}, {-1, 3})));
}

}  // namespace
}  // namespace onnxcmp::testing
