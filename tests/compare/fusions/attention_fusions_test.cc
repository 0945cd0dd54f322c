#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/compare/fusions/fusion_test_support.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two heads of three, with projections, a mask, and the scale on the scores.
constexpr char kAttention[] =
    "(float[1,5,6] x, float[1,1,1,5] mask) => (float[1,5,6] y) <float[6,6] w, float[6] b = "
    "{0, 0, 0, 0, 0, 0}, int64[4] heads = {1, 5, 2, 3}, int64[3] flat = {1, 5, 6}, "
    "float scale = {1.7320508}, float s = {0.1}, uint8 z = {0}, bool[1,1,5,5] tri, float low = "
    "{-1e9}> { "
    "[qm] qm = MatMul (x, w) [qb] qb = Add (qm, b) [qr] qr = Reshape (qb, heads) "
    "[qt] q = Transpose <perm = [0, 2, 1, 3]> (qr) "
    "[km] km = MatMul (x, w) [kb] kb = Add (km, b) [kr] kr = Reshape (kb, heads) "
    "[kt] k = Transpose <perm = [0, 2, 3, 1]> (kr) "
    "[vm] vm = MatMul (x, w) [vb] vb = Add (vm, b) [vr] vr = Reshape (vb, heads) "
    "[vt] v = Transpose <perm = [0, 2, 1, 3]> (vr) "
    "[p] p = MatMul (q, k) [d] d = Div (p, scale) [m] m = Add (d, mask) [s] sm = Softmax (m) "
    "[o] o = MatMul (sm, v) [ot] ot = Transpose <perm = [0, 2, 1, 3]> (o) "
    "[or] y = Reshape (ot, flat) }";

// The same with some of its weights.
std::string Attention(const char* from = "", const char* to = "") {
  std::string zeros = "{0";
  for (int i = 1; i < 36; ++i) absl::StrAppend(&zeros, ", 0");
  absl::StrAppend(&zeros, "}");
  std::string truth = "{1";
  for (int i = 1; i < 25; ++i) absl::StrAppend(&truth, ", 1");
  absl::StrAppend(&truth, "}");
  const std::string text = absl::StrReplaceAll(
      kAttention, {{"float[6,6] w", absl::StrCat("float[6,6] w = ", zeros)},
                   {"bool[1,1,5,5] tri", absl::StrCat("bool[1,1,5,5] tri = ", truth)}});
  return *from == '\0' ? text : absl::StrReplaceAll(text, {{from, to}});
}

std::vector<std::string> AttentionsOf(const std::string& graph) {
  return FusionLines(graph, "attention");
}

constexpr char kWhole[] = "attention: qm qb qr qt km kb kr kt vm vb vr vt p d m s o ot or";

TEST(AttentionFusions, WithProjectionsAndLayout) {
  EXPECT_THAT(AttentionsOf(Attention()), ElementsAre(kWhole));
}

TEST(AttentionFusions, MasksAndScales) {
  EXPECT_THAT(AttentionsOf(Attention("[m] m = Add (d, mask)", "[m] m = Where (tri, d, low)")),
              ElementsAre(kWhole));
  EXPECT_THAT(AttentionsOf(Attention("[d] d = Div (p, scale) [m] m = Add (d, mask) ",
                                     "[m] m = Mul (p, scale) ")),
              ElementsAre("attention: qm qb qr qt km kb kr kt vm vb vr vt p m s o ot or"));
  // On q, and no mask.
  std::string on_q = Attention("[d] d = Div (p, scale) [m] m = Add (d, mask) [s] sm = Softmax (m)",
                               "[s] sm = Softmax (p)");
  on_q = absl::StrReplaceAll(
      on_q, {{"[p] p = MatMul (q, k)", "[d] d = Div (q, scale) [p] p = MatMul (d, k)"}});
  EXPECT_THAT(AttentionsOf(on_q),
              ElementsAre("attention: qm qb qr qt km kb kr kt vm vb vr vt d p s o ot or"));
}

// One product for the three, split; a cache that is an output too.
TEST(AttentionFusions, SplitAndPast) {
  EXPECT_THAT(
      AttentionsOf(
          "(float[1,2,5,9] qkv, float[1,2,4,3] past) => (float[1,2,5,3] y, "
          "float[1,2,9,3] present) <float scale = {0.5}> "
          "{ [sp] q, k, v = Split <axis = -1, num_outputs = 3> (qkv) "
          "[c] present = Concat <axis = 2> (past, k) [kt] kt = Transpose <perm = [0, 1, 3, 2]> "
          "(present) [p] p = MatMul (q, kt) [d] d = Mul (p, scale) [s] sm = Softmax (d) "
          "[c2] v2 = Concat <axis = 2> (past, v) [o] y = MatMul (sm, v2) }"),
      ElementsAre("attention: sp c kt p d s c2 o"));
}

// Heads of k that several of q share.
TEST(AttentionFusions, RepeatedHeads) {
  EXPECT_THAT(
      AttentionsOf(
          "(float[1,4,5,3] q, float[1,2,5,3] k, float[1,4,5,3] v) => (float[1,4,5,3] y) "
          "<int64[1] two = {2}, int64[5] wide = {1, 2, 2, 5, 3}, int64[4] joined = {1, 4, 5, 3}> "
          "{ [u] u = Unsqueeze (k, two) [e] e = Expand (u, wide) [r] r = Reshape (e, joined) "
          "[kt] kt = Transpose <perm = [0, 1, 3, 2]> (r) [p] p = MatMul (q, kt) "
          "[s] sm = Softmax <axis = -1> (p) [o] y = MatMul (sm, v) }"),
      ElementsAre("attention: u e r kt p s o"));
}

TEST(AttentionFusions, BrokenInBetween) {
  EXPECT_THAT(AttentionsOf(Attention("[s] sm = Softmax (m)",
                                     "[s] s1 = Softmax (m) [q1] q8 = QuantizeLinear (s1, s, z) "
                                     "[k1] sm = DequantizeLinear (q8, s, z)")),
              ElementsAre(absl::StrCat(kWhole, " | Q/DQ q1 k1")));
  EXPECT_THAT(AttentionsOf(Attention("[s] sm = Softmax (m)",
                                     "[c] c = Cast <to = 1> (m) [s] sm = Softmax (c)")),
              ElementsAre(absl::StrCat(kWhole, " | Cast c")));
  EXPECT_THAT(AttentionsOf(absl::StrReplaceAll(Attention(),
                                               {{"[1,5,6] y)", "[1,5,6] y, float[1,2,5,5] sm)"}})),
              ElementsAre(absl::StrCat(kWhole, " | graph output sm")));
}

// Q/DQ before the products breaks nothing, but projections after it are no part.
TEST(AttentionFusions, QuantizedInputs) {
  EXPECT_THAT(
      AttentionsOf(Attention("[p] p = MatMul (q, k)",
                             "[q1] q8 = QuantizeLinear (q, s, z) "
                             "[k1] qd = DequantizeLinear (q8, s, z) [p] p = MatMul (qd, k)")),
      ElementsAre("attention: km kb kr kt vm vb vr vt p d m s o ot or"));
}

TEST(AttentionFusions, NearMisses) {
  EXPECT_THAT(AttentionsOf(Attention("Softmax (m)", "Softmax <axis = 1> (m)")), IsEmpty());
  EXPECT_THAT(AttentionsOf(Attention("Softmax (m)", "Sigmoid (m)")), IsEmpty());
  EXPECT_THAT(AttentionsOf(Attention("[o] o = MatMul (sm, v)", "[o] o = Mul (sm, m)")), IsEmpty());
  // Weights in place of keys: a choice of experts.
  EXPECT_THAT(
      AttentionsOf("(float[2,2] x, float[2,2] v) => (float[2,2] y) <float[2,2] w = {1, 0, 0, "
                   "1}> { p = MatMul (x, w) s = Softmax (p) y = MatMul (s, v) }"),
      IsEmpty());
}

TEST(AttentionFusions, OperatorsAreWhole) {
  EXPECT_THAT(FusionLines("(float[1,5,6] x) => (float[1,5,6] y) "
                          "{ [a] y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, x, x) }"),
              ElementsAre("MultiHeadAttention: a"));
}

TEST(AttentionFusions, InsideBranches) {
  EXPECT_THAT(
      FusionLines(
          "(bool c, float[2,2] q, float[2,2] k) => (float[2,2] y) { [choice] y = If (c) <"
          "then_branch = t () => (float[2,2] a) { [p] p = MatMul (q, k) [s] s = Softmax (p) "
          "[o] a = MatMul (s, k) }, else_branch = e () => (float[2,2] b) "
          "{ [i] b = Identity (q) }> }"),
      ElementsAre("choice[then_branch] attention: p s o"));
}

constexpr char kRotary[] =
    "(float[1,2,5,4] x, float[1,1,5,4] cos, float[1,1,5,4] sin) => (float[1,2,5,4] y) "
    "<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}, int64[1] last = {3}> "
    "{ [c] c = Mul (x, cos) [l] l = Slice (x, zero, two, last) [r] r = Slice (x, two, four, last) "
    "[n] n = Neg (r) [j] j = Concat <axis = -1> (n, l) [s] s = Mul (j, sin) [a] y = Add (c, s) }";

TEST(RotaryFusions, ByHalves) {
  EXPECT_THAT(FusionLines(kRotary), ElementsAre("rotary (half): c l r n j s a"));
  EXPECT_THAT(
      FusionLines("(float[1,5,4] x, float[1,5,2] cos, float[1,5,2] sin) => (float[1,5,4] y) "
                  "{ [p] a, b = Split <axis = -1, num_outputs = 2> (x) [m] m = Mul (a, cos) "
                  "[n] n = Mul (b, sin) [d] d = Sub (m, n) [o] o = Mul (b, cos) "
                  "[q] q = Mul (a, sin) [e] e = Add (o, q) [c] y = Concat <axis = -1> (d, e) }"),
      ElementsAre("rotary (half): p m n d o q e c"));
}

TEST(RotaryFusions, Interleaved) {
  EXPECT_THAT(
      FusionLines(
          "(float[1,5,4] x, float[1,5,2] cos, float[1,5,2] sin) => (float[1,5,4] y) "
          "<int64[1] zero = {0}, int64[1] one = {1}, int64[1] four = {4}, int64[1] two = {2}, "
          "int64[1] last = {-1}, int64[3] shape = {1, 5, 4}> "
          "{ [p] a = Slice (x, zero, four, last, two) [p2] b = Slice (x, one, four, last, two) "
          "[m] m = Mul (a, cos) [n] n = Mul (b, sin) [d] d = Sub (m, n) [o] o = Mul (b, cos) "
          "[q] q = Mul (a, sin) [e] e = Add (o, q) [u] u = Unsqueeze (d, last) "
          "[v] v = Unsqueeze (e, last) [c] c = Concat <axis = -1> (u, v) "
          "[r] y = Reshape (c, shape) }"),
      ElementsAre("rotary (interleaved): p p2 m n d o q e u v c r"));
}

TEST(RotaryFusions, NearMissesAndIntruders) {
  EXPECT_THAT(FusionLines(absl::StrReplaceAll(kRotary, {{"Neg (r)", "Abs (r)"}})), IsEmpty());
  EXPECT_THAT(FusionLines(absl::StrReplaceAll(kRotary, {{"Slice (x, two", "Slice (c, two"}})),
              IsEmpty());
  EXPECT_THAT(
      FusionLines(absl::StrReplaceAll(
          kRotary, {{"[s] s = Mul (j, sin)", "[i] i = Identity (j) [s] s = Mul (i, sin)"}})),
      ElementsAre("rotary (half): c l r n j s a | Identity i"));
}

}  // namespace
}  // namespace onnxcmp::testing
