#include <cmath>
#include <source_location>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two steps, two sequences, two inputs, two hidden units. Expected values are onnxruntime 1.31's,
// unless a test says otherwise.
OpTest Lstm(int64_t directions, int opset = 14, DType dtype = DType::kFloat) {
  OpTest test("LSTM", opset);
  test.Outputs(3).Attr("hidden_size", 2);
  for (const Tensor& input :
       {Pattern({2, 2, 2}, 7, 11), Pattern({directions, 8, 2}, 5, 13),
        Pattern({directions, 8, 2}, 3, 17), Pattern({directions, 16}, 11, 19)}) {
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
      Tensor::Of<float>({2, 1, 2, 2}, {-0.1135218f, -0.02782291f, -0.1265461f, -0.01336075f,
                                       -0.09402792f, -0.09338756f, -0.1130234f, -0.07033495f}),
      Tensor::Of<float>({1, 2, 2}, {-0.09402792f, -0.09338756f, -0.1130234f, -0.07033495f}),
      Tensor::Of<float>({1, 2, 2}, {-0.2069502f, -0.1768633f, -0.230893f, -0.1311858f})};
  return want;
}

TEST(LSTMTest, Forward) {
  for (int opset : {1, 7, 14, 22}) {
    ExpectClose(Lstm(1, opset), Forward());
  }
}

TEST(LSTMTest, Double) {
  std::vector<Tensor> want;
  for (const Tensor& tensor : Forward()) {
    want.push_back(Convert(tensor, DType::kDouble));
  }
  ExpectClose(Lstm(1, 14, DType::kDouble), want);
}

TEST(LSTMTest, Float16) {
  ExpectClose(Lstm(1, 14, DType::kFloat16), {Convert(Forward()[0], DType::kFloat16)}, 5e-3);
}

TEST(LSTMTest, ReverseWithSequenceLengths) {
  OpTest test = Lstm(1);
  test.Attr("direction", "reverse").Input(Tensor::Of<int32_t>({2}, {1, 2}));
  ExpectClose(
      test, {Tensor::Of<float>({2, 1, 2, 2}, {-0.1135218f, -0.02782291f, -0.1568452f, -0.05342051f,
                                              0, 0, -0.05827096f, -0.05982471f}),
             Tensor::Of<float>({1, 2, 2}, {-0.1135218f, -0.02782291f, -0.1568452f, -0.05342051f}),
             Tensor::Of<float>({1, 2, 2}, {-0.2253595f, -0.0491064f, -0.2994835f, -0.09213045f})});
}

TEST(LSTMTest, BidirectionalWithInitialStatesAndPeepholes) {
  OpTest test = Lstm(2);
  test.Attr("direction", "bidirectional").NoInput().Input(Pattern({2, 2, 2}, 2, 7));
  test.Input(Pattern({2, 2, 2}, 3, 7)).Input(Pattern({2, 6}, 4, 9));
  ExpectClose(
      test, {Tensor::Of<float>({2, 2, 2, 2}, {-0.176705f, -0.03760443f, 0.03617726f, -0.04459297f,
                                              0.03391801f, 0.08064762f, 0.06428429f, 0.1123708f,
                                              -0.128546f, -0.09999934f, -0.04066539f, -0.09007727f,
                                              0.08330309f, 0.01035709f, 0.1383881f, 0.009993633f}),
             Tensor::Of<float>({2, 2, 2}, {-0.128546f, -0.09999934f, -0.04066539f, -0.09007727f,
                                           0.03391801f, 0.08064762f, 0.06428429f, 0.1123708f}),
             Tensor::Of<float>({2, 2, 2}, {-0.3148485f, -0.1853549f, -0.08227287f, -0.1719106f,
                                           0.09793326f, 0.1919579f, 0.1907907f, 0.2552328f})});
}

TEST(LSTMTest, ClipBoundsTheGates) {
  OpTest test = Lstm(1);
  test.Attr("clip", 0.125f);
  ExpectClose(
      test,
      {Tensor::Of<float>({2, 1, 2, 2}, {-0.02990653f, -0.02961578f, -0.03093209f, -0.01409642f,
                                        -0.04177307f, -0.04736008f, -0.04484454f, -0.03960073f}),
       Tensor::Of<float>({1, 2, 2}, {-0.04177307f, -0.04736008f, -0.04484454f, -0.03960073f}),
       Tensor::Of<float>({1, 2, 2}, {-0.08934515f, -0.09044821f, -0.08926264f, -0.07493353f})});
}

TEST(LSTMTest, InputForgetCouplesTheGates) {
  OpTest test = Lstm(1);
  test.Attr("input_forget", 1).NoInput().NoInput().Input(Pattern({1, 2, 2}, 3, 7));
  ExpectClose(
      test,
      {Tensor::Of<float>({2, 1, 2, 2}, {-0.217157f, -0.02782291f, 0.004333077f, -0.06115237f,
                                        -0.139311f, -0.09253772f, -0.05413187f, -0.09108756f}),
       Tensor::Of<float>({1, 2, 2}, {-0.139311f, -0.09253772f, -0.05413187f, -0.09108756f}),
       Tensor::Of<float>({1, 2, 2}, {-0.3164967f, -0.1717377f, -0.1084814f, -0.1740526f})});
}

TEST(LSTMTest, Activations) {
  OpTest test = Lstm(1);
  test.Attr("activations", std::vector<std::string>{"HardSigmoid", "ScaledTanh", "LeakyRelu"});
  test.Attr("activation_alpha", std::vector<float>{0.25f, 1.5f, 0.5f});
  test.Attr("activation_beta", std::vector<float>{0.5f, 0.75f});
  ExpectClose(
      test,
      {Tensor::Of<float>({2, 1, 2, 2}, {-0.06731927f, -0.01567209f, -0.07594185f, -0.007510378f,
                                        -0.05712469f, -0.05282545f, -0.06854196f, -0.03947829f}),
       Tensor::Of<float>({1, 2, 2}, {-0.05712469f, -0.05282545f, -0.06854196f, -0.03947829f}),
       Tensor::Of<float>({1, 2, 2}, {-0.2458528f, -0.2000605f, -0.2732101f, -0.1479289f})});
}

TEST(LSTMTest, SequenceOfLengthZero) {
  OpTest test = Lstm(1);
  test.Input(Tensor::Of<int32_t>({2}, {0, 1})).Input(Pattern({1, 2, 2}, 2, 7));
  ExpectClose(test, {Tensor::Of<float>({2, 1, 2, 2}, {0, 0, -0.142244f, 0.00418413f, 0, 0, 0, 0}),
                     Tensor::Of<float>({1, 2, 2}, {0, 0, -0.142244f, 0.00418413f}),
                     Tensor::Of<float>({1, 2, 2}, {0, 0, -0.2416284f, 0.007854326f})});
}

// onnxruntime does not know layout 1: the same as layout 0 with the first two axes swapped.
TEST(LSTMTest, BatchFirst) {
  OpTest test("LSTM", 14);
  test.Outputs(2).Attr("layout", 1);
  test.Input(*Pattern({2, 2, 2}, 7, 11).Strided({2, 2, 2}, {2, 4, 1}, 0).Contiguous());
  test.Input(Pattern({1, 8, 2}, 5, 13)).Input(Pattern({1, 8, 2}, 3, 17));
  test.Input(Pattern({1, 16}, 11, 19));
  const Tensor& y = Forward()[0];    // (steps, 1, batch, hidden)
  const Tensor& y_h = Forward()[1];  // (1, batch, hidden)
  ExpectClose(test,
              {*y.Strided({2, 2, 1, 2}, {2, 4, 4, 1}, 0).Contiguous(), y_h.Reshaped({2, 1, 2})});
}

TEST(LSTMTest, StridedView) {
  OpTest test("LSTM", 14);
  test.Input(AsStridedView(Pattern({2, 2, 2}, 7, 11)));
  test.Input(AsStridedView(Pattern({1, 8, 2}, 5, 13)));
  test.Input(AsStridedView(Pattern({1, 8, 2}, 3, 17)));
  test.Input(AsStridedView(Pattern({1, 16}, 11, 19)));
  ExpectClose(test, {Forward()[0]});
}

TEST(LSTMTest, NoSteps) {
  OpTest test("LSTM", 14);
  test.Outputs(2).Input(Tensor::Of<float>({0, 1, 2}, {}));
  test.Input(Pattern({1, 8, 2}, 5, 13)).Input(Pattern({1, 8, 2}, 3, 17));
  ExpectClose(test, {Tensor::Of<float>({0, 1, 1, 2}, {}), Tensor::Of<float>({1, 1, 2}, {0, 0})});
}

// Sequences do not touch each other, and steps are projected in chunks: neither changes a bit.
TEST(LSTMTest, SameBitsForAnySequenceAloneAndAnyThreads) {
  const Tensor x = RandomFloats({90, 9, 5}, 1);
  const Tensor w = RandomFloats({2, 4 * 7, 5}, 2);
  const Tensor r = RandomFloats({2, 4 * 7, 7}, 3, 0.3f);
  auto run = [&](const Tensor& input, int threads) {
    OpTest test("LSTM", 14);
    test.Attr("direction", "bidirectional").Input(input).Input(w).Input(r).Threads(threads);
    return *test.Run();
  };
  const Tensor all = run(x, 2);
  ExpectSameBits(run(x, 1), all);
  const Tensor alone = run(x.Strided({90, 1, 5}, {45, 5, 1}, 4 * 5), 1);
  ExpectSameBits(alone, *all.Strided({90, 2, 1, 7}, {126, 63, 7, 1}, 4 * 7).Contiguous());
}

TEST(LSTMTest, NaNStaysInItsSequence) {
  OpTest test("LSTM", 14);
  test.Input(Tensor::Of<float>({1, 2, 1}, {kNaN, 0}));
  test.Input(Pattern({1, 4, 1}, 5, 13)).Input(Pattern({1, 4, 1}, 3, 17));
  ExpectClose(test, {Tensor::Of<float>({1, 1, 2, 1}, {kNaN, 0})});
}

TEST(LSTMTest, HugeBatchOfNothing) {
  const int64_t batch = int64_t{1} << 50;
  auto run = [&](int64_t hidden) {
    OpTest test("LSTM", 14);
    test.Input(Tensor::Of<float>({0, batch, 1}, {}));
    test.Input(Pattern({1, 4 * hidden, 1}, 5, 13)).Input(Pattern({1, 4 * hidden, hidden}, 3, 17));
    return test.Run();
  };
  EXPECT_EQ(run(1).status().code(), absl::StatusCode::kResourceExhausted);
  ExpectTensor(run(0), Tensor::Of<float>({0, 1, batch, 0}, {}));
}

TEST(LSTMTest, BadInputs) {
  auto expect = [](const OpTest& test, const char* message) {
    ExpectError(test.Run().status(), kInvalid, message);
  };
  OpTest hidden = Lstm(1);
  expect(hidden.Attr("hidden_size", 3), "hidden_size is 3, but R is for 2");
  OpTest directions = Lstm(1);
  expect(directions.Attr("direction", "bidirectional"), "has shape [1");
  OpTest unknown = Lstm(1);
  expect(unknown.Attr("direction", "up"), "unknown direction 'up'");
  OpTest activation = Lstm(1);
  activation.Attr("activations", std::vector<std::string>{"Tanh", "Tanh", "Gauss"});
  expect(activation, "unknown activation 'Gauss'");
  OpTest count = Lstm(1);
  expect(count.Attr("activations", std::vector<std::string>{"Tanh"}), "1 activations given");
  OpTest scaled = Lstm(1);
  scaled.Attr("activations", std::vector<std::string>{"Tanh", "Tanh", "ScaledTanh"});
  expect(scaled, "needs an activation_alpha");
  OpTest clip = Lstm(1);
  expect(clip.Attr("clip", -1.0f), "clip -1 is not positive");
  OpTest length = Lstm(1);
  expect(length.Input(Tensor::Of<int32_t>({2}, {0, 3})), "sequence length 3 is not in [0, 2]");
  OpTest state = Lstm(1);
  expect(state.NoInput().Input(Pattern({1, 2, 3}, 2, 7)), "initial_h has shape");
}

}  // namespace
}  // namespace onnxcmp::testing
