// Work that small inputs and an attribute, or two inputs together, multiply is refused before it is
// done and before memory is taken for it.
#include "ops/common/shapes/work.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Tensors of four mebibytes, so that a node may take 7e10 operations.
constexpr int64_t kLimit = int64_t{4} << 20;

// Runs nodes of opset 23 that make y of constants.
absl::Status RunLimited(absl::string_view nodes, const std::string& y = "float[]") {
  const EvaluatorOptions options = {.threads = 1, .max_tensor = kLimit, .max_steps = 1000};
  return RunText(absl::StrCat("<ir_version: 11, opset_import: [\"\": 23]>\ng () => (", y, " y) {",
                              nodes, "}"),
                 {}, /*observer=*/nullptr, options)
      .status();
}

// `name` = zeros of this shape: "2, 3".
std::string Zeros(const std::string& name, const std::string& shape, int rank,
                  const std::string& value = "float[1] {0}") {
  return absl::StrCat(name, "_shape = Constant <value = int64[", rank, "] {", shape, "}> ()\n",
                      name, " = ConstantOfShape <value = ", value, "> (", name, "_shape)\n");
}

void ExpectTooMuch(const std::string& nodes) {
  ExpectError(RunLimited(nodes), absl::StatusCode::kResourceExhausted, "operations");
}
void ExpectFine(const std::string& nodes) {
  const absl::Status status = RunLimited(nodes);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(WorkTest, SamplesOfARegion) {
  const std::string inputs =
      absl::StrCat(Zeros("x", "1, 1000, 2, 2", 4), Zeros("b", "1", 1, "int64[1] {0}"),
                   "r = Constant <value = float[1,4] {0, 0, 4, 4}> ()\n");
  const auto pooled = [&](int samples) {
    return absl::StrCat(inputs, "y = RoiAlign <output_height = 16, output_width = 16, ",
                        "sampling_ratio = ", samples, "> (x, r, b)");
  };
  ExpectFine(pooled(2));
  ExpectTooMuch(pooled(1000));
  // The samples themselves take memory.
  ExpectError(RunLimited(pooled(100'000)), absl::StatusCode::kResourceExhausted, "limit");
}

TEST(WorkTest, ChannelsOfANormalization) {
  const std::string x = Zeros("x", "1, 1000000, 1, 1", 4);
  ExpectFine(x + "y = LRN <size = 3> (x)");
  ExpectTooMuch(x + "y = LRN <size = 2147483647> (x)");
}

TEST(WorkTest, DistancesInATextVectorizer) {
  const auto vectorized = [](int skip) {
    return absl::StrCat(Zeros("x", "1000000", 1, "int32[1] {0}"),
                        "y = TfIdfVectorizer <mode = \"TF\", min_gram_length = 2, ",
                        "max_gram_length = 2, max_skip_count = ", skip,
                        ", ngram_counts = [0, 0], ngram_indexes = [0], pool_int64s = [1, 1]> (x)");
  };
  ExpectFine(vectorized(1));
  ExpectTooMuch(vectorized(2'000'000'000));
}

TEST(WorkTest, TapsOfWindows) {
  const std::string x = Zeros("x", "1, 1, 1000, 1000", 4);
  ExpectFine(x + "y = MaxPool <kernel_shape = [2, 2]> (x)");
  for (const char* pool : {"MaxPool", "AveragePool", "LpPool"}) {
    ExpectTooMuch(absl::StrCat(x, "y = ", pool,
                               " <kernel_shape = [900, 900], pads = [450, 450, 450, 450]> (x)"));
  }
  ExpectTooMuch(x + "y = Conv <pads = [500, 500, 500, 500]> (x, x)");
}

TEST(WorkTest, BoxesThatMayOverlap) {
  const std::string inputs =
      absl::StrCat(Zeros("boxes", "1, 260000, 4", 3), Zeros("scores", "1, 4, 260000", 3));
  const auto chosen = [&](const char* most) {
    return absl::StrCat(inputs, "most = Constant <value = int64 {", most,
                        "}> ()\ny = NonMaxSuppression (boxes, scores, most)");
  };
  EXPECT_TRUE(RunLimited(chosen("1"), "int64[]").ok());
  ExpectError(RunLimited(chosen("9223372036854775807"), "int64[]"),
              absl::StatusCode::kResourceExhausted, "operations");
}

TEST(WorkTest, StepsAndKeys) {
  ExpectTooMuch(absl::StrCat(Zeros("x", "1000000, 1, 1", 3), Zeros("w", "1, 800, 1", 3),
                             Zeros("r", "1, 800, 200", 3),
                             "y = LSTM <hidden_size = 200> (x, w, r)"));
  ExpectTooMuch(Zeros("q", "1, 1, 500000, 1", 4) + "y = Attention (q, q, q)");
}

TEST(WorkTest, CharactersOfStrings) {
  const std::string text(1000, 'a');
  const auto repeated = [&](int64_t times) {
    return absl::StrCat("x = Constant <value = string[1] {\"", text,
                        "\"}> ()\nn = Constant <value = int64[1] {", times, "}> ()\n");
  };
  EXPECT_TRUE(RunLimited(repeated(10) + "y = Tile (x, n)", "string[]").ok());
  for (const char* node : {"y = Tile (x, n)", "v = Expand (x, n)\ny = StringConcat (v, v)"}) {
    ExpectError(RunLimited(repeated(100'000) + node, "string[]"),
                absl::StatusCode::kResourceExhausted, "limit");
  }
  // Twice as long from round to round.
  ExpectError(RunLimited(repeated(100'000) + R"(
      go = Constant <value = bool {1}> ()
      rounds = Constant <value = int64 {900}> ()
      y = Loop (rounds, go, x) <body = b (int64 i, bool k, string[1] a) => (bool l, string[1] c) {
        l = Identity (k)
        c = StringConcat (a, a)
      }>)",
                         "string[]"),
              absl::StatusCode::kResourceExhausted, "limit");
}

}  // namespace
}  // namespace onnxcmp::testing
