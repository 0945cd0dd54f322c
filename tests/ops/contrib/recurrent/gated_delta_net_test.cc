// Expected values are written out, or those of a NumPy transcription of the documentation.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two tokens, a head of keys of size 2, two heads of values of size 1.
struct Delta {
  Tensor query = Tensor::Of<float>({2, 1, 2}, {1, 2, -1, 0.5f});
  Tensor key = Tensor::Of<float>({2, 1, 2}, {3, 4, 1, -1});
  Tensor value = Tensor::Of<float>({2, 2, 1}, {2, -1, 1, 3});
  Tensor decay = Tensor::Of<float>({2, 2}, {0.5f, -1, 0, 1});
  Tensor beta = Tensor::Of<float>({2, 2}, {0, 1, -1, 2});
};

// As many states, of both heads, as there are sequences.
Tensor States(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size()) / 4, 2, 1, 2}, values);
}

OpTest DeltaNet() { return OpTest("GatedDeltaNet", 1, "com.microsoft"); }

TEST(GatedDeltaNet, ActivatesNormalizesAndCaptures) {
  const Delta x;
  OpTest test = DeltaNet().Attr("gate_activation", "qwen").Attr("beta_activation", "sigmoid");
  test.Attr("qk_l2_norm", 1).Attr("scale", 0.5f).Attr("state_update_capacity", 2).Outputs(3);
  test.Input(x.query).Input(x.key).Input(x.value).NoInput().Input(x.decay).Input(x.beta);
  test.Input(States({1, -1, 0.5f, 2})).Input(Floats({0, -1})).Input(Floats({0.1f, -0.2f}));
  test.Input(Tensor::Of<int32_t>({1}, {1}));
  const Tensor out =
      Tensor::Of<float>({2, 2, 1}, {0.430132701f, -0.066516442f, -0.262982314f, -1.190624387f});
  const Tensor state = States({0.621562229f, 0.067031796f, 1.662353073f, -1.999927983f});
  ExpectOutputs(test,
                {out, state,
                 Tensor::Of<float>({1, 12}, {0.354343694f, 0.907686516f, 0, 0, 0.6f, 0.8f, 0, 0,
                                             1.035434369f, -1.991845405f, 0, 0})},
                1e-5);
  ExpectOutputs(test.Input(Tensor::Of<int32_t>({1}, {0})),
                {out, state, Tensor::Of<float>({1, 12}, std::vector<float>(12))}, 1e-5);
}

TEST(GatedDeltaNet, PartsSequences) {
  const Delta x;
  const auto run = [&](const Tensor& query, const Tensor& key, const Tensor& value,
                       const Shape& tokens, bool offsets) {
    OpTest test = DeltaNet().Outputs(2).Input(query).Input(key).Input(value);
    if (offsets) {
      test.Input(Tensor::Of<int32_t>({3}, {0, 1, 2}));
    } else {
      test.NoInput();
    }
    Shape heads = tokens;
    heads.push_back(2);
    test.Input(x.decay.Reshaped(heads)).Input(x.beta.Reshaped(heads));
    return test.Input(States({1, -1, 0.5f, 2, 1, -1, 0.5f, 2}));
  };
  const std::vector<float> out = {-1.165821991f, -33.791179344f, -2.121320344f, -14.052423087f};
  const Tensor states = States({1.648721271f, -1.648721271f, -13.300624353f, -17.243659882f, 2, -2,
                                15.5139864f, -8.718281828f});
  const Tensor rows = Tensor::Of<float>({2, 2, 1}, out);
  ExpectOutputs(run(x.query, x.key, x.value, {2}, true), {rows, states}, 1e-5);
  ExpectOutputs(run(x.query, x.key, x.value, {2}, false), {rows, states}, 1e-5);
  ExpectOutputs(run(x.query.Reshaped({2, 1, 1, 2}), x.key.Reshaped({2, 1, 1, 2}),
                    x.value.Reshaped({2, 1, 2, 1}), {2, 1}, false),
                {rows.Reshaped({2, 1, 2, 1}), states}, 1e-5);
  // Queries, keys and values in one row.
  OpTest packed = DeltaNet().Outputs(2);
  packed.Input(Tensor::Of<float>({2, 6}, {1, 2, 3, 4, 2, -1, -1, 0.5f, 1, -1, 1, 3}));
  packed.NoInput().NoInput().NoInput().Input(x.decay).Input(x.beta);
  ExpectOutputs(packed.Input(States({1, -1, 0.5f, 2, 1, -1, 0.5f, 2})), {rows, states}, 1e-5);
}

TEST(GatedDeltaNet, DecaysByElementOfTheKey) {
  // exp of -inf is 0, of 0 is 1: the first element of the state is lost.
  OpTest test = DeltaNet().Attr("update_rule", "gated").Attr("scale", 1.0f).Outputs(2);
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 1})).Input(Tensor::Of<float>({1, 1, 2}, {1, 2}));
  test.Input(Tensor::Of<float>({1, 1, 1}, {10})).NoInput();
  test.Input(Tensor::Of<float>({1, 1, 2}, {-kInf, 0})).NoInput();
  test.Input(Tensor::Of<float>({1, 1, 1, 2}, {5, 7}));
  ExpectOutputs(test,
                {Tensor::Of<float>({1, 1, 1}, {37}), Tensor::Of<float>({1, 1, 1, 2}, {10, 27})});
}

TEST(GatedDeltaNet, RefusesWhatDoesNotFit) {
  const Delta x;
  const auto plain = [&]() {
    return DeltaNet().Attr("update_rule", "linear").Input(x.query).Input(x.key).Input(x.value);
  };
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(plain()), kInvalid, "initial_state says how many");
  ExpectError(status(plain().Input(Tensor::Of<int32_t>({2}, {0, 3}))), kInvalid,
              "does not part the sequences of 2 tokens");
  ExpectError(status(plain().NoInput().NoInput().NoInput().Input(Iota({3, 2, 1, 2}))), kInvalid,
              "do not make 3 sequences");
  ExpectError(status(plain().NoInput().Input(x.decay)), kInvalid, "decay is given, but nothing");
  ExpectError(status(plain().Attr("update_rule", "delta")), kInvalid, "beta is missing");
  ExpectError(status(plain().Attr("update_rule", "cubic")), kInvalid, "\"cubic\"");
  ExpectError(status(plain().Attr("gate_activation", "mamba")), kInvalid, "\"mamba\"");
  ExpectError(status(plain().Attr("state_update_capacity", 9)), kInvalid, "is 9, not 0 to 8");
  ExpectError(status(DeltaNet().Attr("update_rule", "linear").Input(Iota({2, 6}))), kInvalid,
              "needs initial_state");
}

}  // namespace
}  // namespace onnxcmp::testing
