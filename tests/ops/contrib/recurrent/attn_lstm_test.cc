// Most results are tested by golden cases, from onnxruntime.
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest AttnLstm(const Shape& w, const Shape& memory, bool with_lengths = false) {
  OpTest test = Contrib("AttnLSTM");
  test.Attr("hidden_size", 2).Outputs(3);
  test.Input(Pattern({3, 1, 1}, 3, 7)).Input(Pattern(w, 5, 11)).Input(Pattern({1, 8, 2}, 3, 13));
  for (int i = 0; i < 5; ++i) test.NoInput();
  test.Input(Pattern({1, 2, 4}, 3, 7)).Input(Pattern({1, 3, 4}, 5, 7)).Input(Pattern({1, 4}, 2, 5));
  test.Input(Pattern(memory, 4, 9));
  if (with_lengths) test.Input(Tensor::Of<int32_t>({1}, {0}));
  return test;
}

// No memory: the attention is 0, so its columns of W have no meaning.
TEST(AttnLSTMTest, NoMemoryIsAnLstm) {
  OpTest lstm("LSTM", 7);
  const Tensor w = Pattern({1, 8, 4}, 5, 11);
  std::vector<float> first;
  for (int64_t i = 0; i < 8; ++i) first.push_back(w.data<float>()[4 * i]);
  lstm.Attr("hidden_size", 2).Input(Pattern({3, 1, 1}, 3, 7));
  lstm.Input(Tensor::Of<float>({1, 8, 1}, first)).Input(Pattern({1, 8, 2}, 3, 13));
  const absl::StatusOr<Tensor> want = lstm.Run();
  ASSERT_TRUE(want.ok()) << want.status();
  ExpectTensor(AttnLstm({1, 8, 4}, {1, 2, 3}, /*with_lengths=*/true).Run(), *want, 1e-6, 1e-7);
}

TEST(AttnLSTMTest, BadInputs) {
  ExpectError(AttnLstm({1, 8, 3}, {1, 2, 3}).Run().status(), kInvalid, "W has shape");
  ExpectError(AttnLstm({1, 8, 4}, {2, 2, 3}).Run().status(), kInvalid, "M has shape");
  ExpectError(AttnLstm({1, 8, 4}, {1, 2, 3}).Input(Tensor::Of<int32_t>({1}, {3})).Run().status(),
              kInvalid, "memory length 3 is not in [0, 2]");
  OpTest missing = Contrib("AttnLSTM");
  missing.Attr("hidden_size", 2).Input(Pattern({3, 1, 1}, 3, 7)).Input(Pattern({1, 8, 4}, 5, 11));
  ExpectError(missing.Input(Pattern({1, 8, 2}, 3, 13)).Run().status(), kInvalid,
              "QW, MW, V and M are needed");
}

}  // namespace
}  // namespace onnxcmp::testing
