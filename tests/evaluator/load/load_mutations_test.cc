// Damaged models: whatever the bytes, loading returns a status or a model.
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Registry;

// Something of everything that loading looks at.
constexpr char kModel[] = R"(
  <ir_version: 10, opset_import: ["" : 21, "acme" : 1], producer_name: "test">
  main (float[N, 4] x, bool c, int64 n, float[4] d = {1, 2, 3, 4}) => (float[N, 4] y, float z)
       <float[4, 4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
        string[2] s = {"a", "b"}, uint4[3] q = {18, 3}, bool[2] b = {0, 1}, float[N, 4] u> {
    [product] t = MatMul (x, w)
    [call] u = acme.block <axis = 1, scale: float = 0.5> (t, d)
    [choice] y = If (c) <then_branch = yes () => (float[N, 4] p) { p = acme.block (u, d) },
                         else_branch = no () => (float[N, 4] r) { r = Neg (u) }>
    k = Constant <value = float {2}> ()
    [loop] z = Loop (n, c, k) <body = step (int64 i, bool cond, float a) => (bool cond, float e) {
      e = Mul (a, k)
    }>
  }
  <domain: "acme", opset_import: ["" : 21, "acme" : 1]>
  block <axis: int = 0, scale> (a, g) => (o) {
    h = Softmax <axis: int = @axis> (a)
    f = acme.scaled <alpha: float = @scale> (h)
    o = Add (f, g)
  }
  <domain: "acme", opset_import: ["" : 21]>
  scaled <alpha: float = 1.0> (a) => (o) { o = LeakyRelu <alpha: float = @alpha> (a) }
)";

// One to four bytes changed, or a part dropped, doubled or moved.
std::string Mutate(std::string bytes, std::mt19937& random) {
  auto below = [&random](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  size_t at = below(bytes.size());
  size_t length = 1 + below(std::min<size_t>(bytes.size() - at, 40));
  switch (random() % 6) {
    case 0:
      return bytes.substr(0, at);
    case 1:
      return bytes.erase(at, length);
    case 2:
      return bytes.insert(at, bytes.substr(below(bytes.size()), length));
    case 3:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      return bytes;
    default:
      for (size_t i = 0; i <= below(4); ++i) {
        bytes[below(bytes.size())] = static_cast<char>(random());
      }
      return bytes;
  }
}

void LoadMutations(const std::string& bytes, unsigned seed, int count) {
  std::mt19937 random(seed);
  LoadOptions keep;
  keep.functions = Functions::kKeep;
  int loaded = 0;
  for (int i = 0; i < count; ++i) {
    std::string mutated = Mutate(bytes, random);
    testing::LoadedModel model = LoadModelFromBytes(mutated, Registry());
    if (model.ok()) {
      ++loaded;
    } else {
      EXPECT_EQ(model.status().message().find('\n'), absl::string_view::npos) << model.status();
      EXPECT_NE(model.status().code(), absl::StatusCode::kInternal) << model.status();
    }
    LoadModelFromBytes(mutated, Registry(), keep).status().IgnoreError();
  }
  // Names and values may change unnoticed; if nothing else ever did, nothing was tested.
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, count);
}

TEST(LoadMutationsTest, OfAMessage) {
  auto proto = ReadModelText(kModel, /*max_depth=*/64);
  ASSERT_TRUE(proto.ok()) << proto.status();
  testing::LoadedModel model = LoadModelFromText(kModel, Registry());
  ASSERT_TRUE(model.ok()) << model.status();
  LoadMutations((*proto)->SerializeAsString(), /*seed=*/1, /*count=*/3000);
}

TEST(LoadMutationsTest, OfText) { LoadMutations(kModel, /*seed=*/2, /*count=*/1000); }

}  // namespace
}  // namespace onnxcmp
