#include "evaluator/base/memory_account.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/tensor.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;

TEST(MemoryAccountTest, ChargesUpToTheLimit) {
  MemoryAccount account(10);
  EXPECT_TRUE(account.Charge(4));
  EXPECT_FALSE(account.Charge(7));
  EXPECT_FALSE(account.Charge(INT64_MAX));
  EXPECT_TRUE(account.Charge(6));
  EXPECT_FALSE(account.Charge(1));
  account.Credit(4);
  EXPECT_TRUE(account.Charge(4));
}

TEST(MemoryAccountTest, ABufferIsChargedAsLongAsItLives) {
  const auto account = std::make_shared<MemoryAccount>(64);
  {
    const absl::StatusOr<Tensor> first = Tensor::Allocate(DType::kFloat, {12}, account);
    ASSERT_TRUE(first.ok());
    const Tensor view = first->Reshaped({3, 4});
    ExpectError(Tensor::Allocate(DType::kFloat, {5}, account).status(), kExhausted,
                "with 20 bytes more the run would hold more than 64");
    EXPECT_TRUE(Tensor::Allocate(DType::kFloat, {4}, account).ok());
  }
  EXPECT_TRUE(Tensor::Allocate(DType::kFloat, {16}, account).ok());
  EXPECT_TRUE(Tensor::Allocate(DType::kInt4, {128}, account).ok());
  const auto strings = static_cast<int64_t>(64 / sizeof(std::string));
  EXPECT_TRUE(Tensor::Allocate(DType::kString, {strings}, account).ok());
  ExpectError(Tensor::Allocate(DType::kString, {strings + 1}, account).status(), kExhausted, "");
}

const Tensor& Kilobyte() {
  static const auto& x = *new Tensor(Tensor::Of<float>({256}, std::vector<float>(256, 1)));
  return x;
}

absl::Status RunWithin(int64_t max_memory, const std::string& text) {
  return RunText(absl::StrCat("<ir_version: 9, opset_import: [\"\": 18]> g ", text),
                 {{"x", Kilobyte()}}, nullptr, {.threads = 1, .max_memory = max_memory})
      .status();
}

// Values that nobody reads any more are given back; those that the model and the caller hold are
// not charged.
TEST(MaxMemoryTest, CountsWhatLives) {
  const std::string chain =
      "(float[256] x) => (float[256] y) { a = Neg(x) b = Neg(a) c = Neg(b) y = Neg(c) }";
  EXPECT_TRUE(RunWithin(2048, chain).ok());
  ExpectError(RunWithin(2047, chain), kExhausted, "would hold more than 2047");
  const std::string outputs =
      "(float[256] x) => (float[256] a, float[256] b, float[256] c) "
      "{ a = Neg(x) b = Neg(a) c = Neg(b) }";
  EXPECT_TRUE(RunWithin(3072, outputs).ok());
  ExpectError(RunWithin(3071, outputs), kExhausted, "Neg -> 'c': ");
}

TEST(MaxMemoryTest, CountsCharacters) {
  const std::string text =
      "(float[256] x) => (string[1000] y) { s = Cast<to=8>(x) t = Constant<value = int64[1] "
      "{1000}>()"
      " w = Constant<value_strings = [\"" +
      std::string(100, 'w') + "\"]>() y = Tile(w, t) }";
  EXPECT_TRUE(RunWithin(200000, text).ok());
  // Without the characters the strings take 32000 bytes.
  ExpectError(RunWithin(100000, text), kExhausted, "Tile -> 'y': with 100000 bytes more");
}

// Runs with one account share its limit.
TEST(MaxMemoryTest, IsSharedByRuns) {
  const auto account = std::make_shared<MemoryAccount>(2500);
  const auto run = [&] {
    return RunText(
        "<ir_version: 9, opset_import: [\"\": 18]> g (float[256] x) => (float[256] y) "
        "{ a = Neg(x) y = Neg(a) }",
        {{"x", Kilobyte()}}, nullptr, {.threads = 1, .memory = account});
  };
  const auto first = run();
  EXPECT_TRUE(first.ok()) << first.status();
  ExpectError(run().status(), kExhausted, "would hold more than 2500");
}

// No tensor is large, and no step is one too many.
TEST(MaxMemoryTest, CountsWhatALoopGathers) {
  const std::string loop =
      "(float[256] x) => (float[n, 256] y) <int64 n = {100}> "
      "{ last, y = Loop(n, , x) <body = b (int64 i, bool go, float[256] v) "
      "=> (bool go2, float[256] w, float[256] z) { go2 = Identity(go) w = Neg(v) z = Abs(v) }> }";
  EXPECT_TRUE(RunWithin(300 << 10, loop).ok());
  ExpectError(RunWithin(64 << 10, loop), kExhausted, "would hold more than 65536");
}

}  // namespace
}  // namespace onnxcmp::testing
