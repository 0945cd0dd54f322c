#include <cmath>
#include <source_location>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two steps, two sequences, two inputs, two hidden units. Expected values are onnxruntime 1.31's,
// unless a test says otherwise.
OpTest Gru(int64_t directions, int opset = 14, DType dtype = DType::kFloat) {
  OpTest test("GRU", opset);
  test.Outputs(2).Attr("hidden_size", 2);
  for (const Tensor& input :
       {Pattern({2, 2, 2}, 7, 11), Pattern({directions, 6, 2}, 5, 13),
        Pattern({directions, 6, 2}, 3, 17), Pattern({directions, 12}, 11, 19)}) {
    test.Input(Convert(input, dtype));
  }
  return test;
}

void ExpectClose(const OpTest& test, const std::vector<Tensor>& want, double rtol = 2e-6,
                 std::source_location where = std::source_location::current()) {
  ExpectOutputs(test, want, rtol, rtol / 10, where);
}

const std::vector<Tensor>& Forward() {
  static const auto& want = *new std::vector<Tensor>{
      Tensor::Of<float>({2, 1, 2, 2}, {0.1826362f, 0.06169527f, 0.1354116f, 0.08754891f, 0.1427609f,
                                       0.2621739f, 0.05681957f, 0.2923215f}),
      Tensor::Of<float>({1, 2, 2}, {0.1427609f, 0.2621739f, 0.05681957f, 0.2923215f})};
  return want;
}

TEST(GRUTest, Forward) {
  for (int opset : {3, 7, 14, 22}) {
    ExpectClose(Gru(1, opset), Forward());
  }
}

TEST(GRUTest, Double) {
  std::vector<Tensor> want;
  for (const Tensor& tensor : Forward()) {
    want.push_back(Convert(tensor, DType::kDouble));
  }
  ExpectClose(Gru(1, 14, DType::kDouble), want);
}

TEST(GRUTest, Float16) {
  ExpectClose(Gru(1, 14, DType::kFloat16), {Convert(Forward()[0], DType::kFloat16)}, 5e-3);
}

TEST(GRUTest, ReverseWithSequenceLengths) {
  OpTest test = Gru(1);
  test.Attr("direction", "reverse").Input(Tensor::Of<int32_t>({2}, {1, 2}));
  ExpectClose(
      test, {Tensor::Of<float>({2, 1, 2, 2}, {0.1826362f, 0.06169527f, 0.1520576f, 0.2116272f, 0, 0,
                                              0.0118131f, 0.2349336f}),
             Tensor::Of<float>({1, 2, 2}, {0.1826362f, 0.06169527f, 0.1520576f, 0.2116272f})});
}

TEST(GRUTest, BidirectionalWithInitialStates) {
  OpTest test = Gru(2);
  test.Attr("direction", "bidirectional").NoInput().Input(Pattern({2, 2, 2}, 2, 7));

  ExpectClose(test,
              {Tensor::Of<float>({2, 2, 2, 2}, {-0.04686281f, -0.05162681f, 0.2079371f, 0.3223217f,
                                                -0.1266986f, 0.1572394f, 0.03856091f, 0.2464824f,
                                                0.05565518f, 0.1839275f, 0.08293863f, 0.4226348f,
                                                -0.1305654f, 0.03671308f, 0.2108482f, 0.05573677f}),
               Tensor::Of<float>({2, 2, 2}, {0.05565518f, 0.1839275f, 0.08293863f, 0.4226348f,
                                             -0.1266986f, 0.1572394f, 0.03856091f, 0.2464824f})});
}

TEST(GRUTest, ClipBoundsTheGates) {
  OpTest test = Gru(1);
  test.Attr("clip", 0.125f);
  ExpectClose(test,
              {Tensor::Of<float>({2, 1, 2, 2}, {0.06605747f, 0.05242187f, 0.06605747f, 0.06605747f,
                                                0.09650801f, 0.09063235f, 0.04152113f, 0.0970246f}),
               Tensor::Of<float>({1, 2, 2}, {0.09650801f, 0.09063235f, 0.04152113f, 0.0970246f})});
}

TEST(GRUTest, LinearBeforeReset) {
  OpTest test = Gru(1);
  test.Attr("linear_before_reset", 1).NoInput().Input(Pattern({1, 2, 2}, 2, 7));
  ExpectClose(
      test, {Tensor::Of<float>({2, 1, 2, 2}, {-0.1312399f, -0.03578472f, 0.1231518f, 0.3512746f,
                                              -0.08739591f, 0.2099065f, -0.04368366f, 0.4550709f}),
             Tensor::Of<float>({1, 2, 2}, {-0.08739591f, 0.2099065f, -0.04368366f, 0.4550709f})});
}

// Version 1's default of the direction is "foward".
TEST(GRUTest, Version1) { ExpectClose(Gru(1, 1), Forward()); }

TEST(GRUTest, Activations) {
  OpTest test = Gru(1);
  test.Attr("activations", std::vector<std::string>{"HardSigmoid", "ScaledTanh"});
  test.Attr("activation_alpha", std::vector<float>{0.25f, 1.5f});
  test.Attr("activation_beta", std::vector<float>{0.5f, 0.75f});
  ExpectClose(test,
              {Tensor::Of<float>({2, 1, 2, 2}, {0.2088412f, 0.06980833f, 0.1538719f, 0.09920581f,
                                                0.1611868f, 0.3058062f, 0.06304477f, 0.3417102f}),
               Tensor::Of<float>({1, 2, 2}, {0.1611868f, 0.3058062f, 0.06304477f, 0.3417102f})});
}

TEST(GRUTest, SequenceOfLengthZero) {
  OpTest test = Gru(1);
  test.Input(Tensor::Of<int32_t>({2}, {0, 1})).Input(Pattern({1, 2, 2}, 2, 7));
  ExpectClose(test, {Tensor::Of<float>({2, 1, 2, 2}, {0, 0, 0.2079371f, 0.3223217f, 0, 0, 0, 0}),
                     Tensor::Of<float>({1, 2, 2}, {0, 0, 0.2079371f, 0.3223217f})});
}

// onnxruntime does not know layout 1: the same as layout 0 with the first two axes swapped.
TEST(GRUTest, BatchFirst) {
  OpTest test("GRU", 14);
  test.Outputs(2).Attr("layout", 1);
  test.Input(*Pattern({2, 2, 2}, 7, 11).Strided({2, 2, 2}, {2, 4, 1}, 0).Contiguous());
  test.Input(Pattern({1, 6, 2}, 5, 13)).Input(Pattern({1, 6, 2}, 3, 17));
  test.Input(Pattern({1, 12}, 11, 19));
  const Tensor& y = Forward()[0];    // (steps, 1, batch, hidden)
  const Tensor& y_h = Forward()[1];  // (1, batch, hidden)
  ExpectClose(test,
              {*y.Strided({2, 2, 1, 2}, {2, 4, 4, 1}, 0).Contiguous(), y_h.Reshaped({2, 1, 2})});
}

TEST(GRUTest, StridedView) {
  OpTest test("GRU", 14);
  test.Input(AsStridedView(Pattern({2, 2, 2}, 7, 11)));
  test.Input(AsStridedView(Pattern({1, 6, 2}, 5, 13)));
  test.Input(AsStridedView(Pattern({1, 6, 2}, 3, 17)));
  test.Input(AsStridedView(Pattern({1, 12}, 11, 19)));
  ExpectClose(test, {Forward()[0]});
}

TEST(GRUTest, NoSteps) {
  OpTest test("GRU", 14);
  test.Outputs(2).Input(Tensor::Of<float>({0, 1, 2}, {}));
  test.Input(Pattern({1, 6, 2}, 5, 13)).Input(Pattern({1, 6, 2}, 3, 17));
  ExpectClose(test, {Tensor::Of<float>({0, 1, 1, 2}, {}), Tensor::Of<float>({1, 1, 2}, {0, 0})});
}

// Sequences do not touch each other, and steps are projected in chunks: neither changes a bit.
TEST(GRUTest, SameBitsForAnySequenceAloneAndAnyThreads) {
  const Tensor x = RandomFloats({90, 9, 5}, 1);
  const Tensor w = RandomFloats({2, 3 * 7, 5}, 2);
  const Tensor r = RandomFloats({2, 3 * 7, 7}, 3, 0.3f);
  auto run = [&](const Tensor& input, int threads) {
    OpTest test("GRU", 14);
    test.Attr("direction", "bidirectional").Input(input).Input(w).Input(r).Threads(threads);
    return *test.Run();
  };
  const Tensor all = run(x, 2);
  ExpectSameBits(run(x, 1), all);
  const Tensor alone = run(x.Strided({90, 1, 5}, {45, 5, 1}, 4 * 5), 1);
  ExpectSameBits(alone, *all.Strided({90, 2, 1, 7}, {126, 63, 7, 1}, 4 * 7).Contiguous());
}

TEST(GRUTest, NaNStaysInItsSequence) {
  OpTest test("GRU", 14);
  test.Input(Tensor::Of<float>({1, 2, 1}, {kNaN, 0}));
  test.Input(Pattern({1, 3, 1}, 5, 13)).Input(Pattern({1, 3, 1}, 3, 17));
  ExpectClose(test, {Tensor::Of<float>({1, 1, 2, 1}, {kNaN, 0})});
}

TEST(GRUTest, HugeBatchOfNothing) {
  const int64_t batch = int64_t{1} << 50;
  auto run = [&](int64_t hidden) {
    OpTest test("GRU", 14);
    test.Input(Tensor::Of<float>({0, batch, 1}, {}));
    test.Input(Pattern({1, 3 * hidden, 1}, 5, 13)).Input(Pattern({1, 3 * hidden, hidden}, 3, 17));
    return test.Run();
  };
  EXPECT_EQ(run(1).status().code(), absl::StatusCode::kResourceExhausted);
  ExpectTensor(run(0), Tensor::Of<float>({0, 1, batch, 0}, {}));
}

TEST(GRUTest, BadInputs) {
  auto expect = [](const OpTest& test, const char* message) {
    ExpectError(test.Run().status(), kInvalid, message);
  };
  OpTest hidden = Gru(1);
  expect(hidden.Attr("hidden_size", 3), "hidden_size is 3, but R is for 2");
  OpTest directions = Gru(1);
  expect(directions.Attr("direction", "bidirectional"), "B has shape [1x12], not [2x12]");
  OpTest unknown = Gru(1);
  expect(unknown.Attr("direction", "up"), "unknown direction 'up'");
  OpTest activation = Gru(1);
  activation.Attr("activations", std::vector<std::string>{"Tanh", "Gauss"});
  expect(activation, "unknown activation 'Gauss'");
  OpTest count = Gru(1);
  expect(count.Attr("activations", std::vector<std::string>{"Tanh"}), "1 activations given");
  OpTest scaled = Gru(1);
  scaled.Attr("activations", std::vector<std::string>{"Tanh", "ScaledTanh"});
  expect(scaled, "needs an activation_alpha");
  OpTest clip = Gru(1);
  expect(clip.Attr("clip", -1.0f), "clip -1 is not positive");
  OpTest length = Gru(1);
  expect(length.Input(Tensor::Of<int32_t>({2}, {0, 3})), "sequence length 3 is not in [0, 2]");
  OpTest state = Gru(1);
  expect(state.NoInput().Input(Pattern({1, 2, 3}, 2, 7)), "initial_h has shape");
}

}  // namespace
}  // namespace onnxcmp::testing
