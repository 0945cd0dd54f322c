// Pairs that differ on what a tester of their trade would feed first, and twins that never do.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/input_sets/padding.h"
#include "compare/outcome/exit_status.h"
#include "tests/compare/input_sets/on_sets.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::OnSets;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Pair {
  const char* name;
  const char* left;
  const char* wrong;
  const char* twin;
};

constexpr Pair kPairs[] = {
    {"row_of_a_quotient",
     "(int64[n] a) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, 28, 4, 11, "
     "18, 25}, int64 s = {16}> { i = Div(a, s) y = Gather(t, i) }",
     "(int64[n] a) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, 28, 4, 11, "
     "118, 25}, int64 s = {16}> { i = Div(a, s) y = Gather(t, i) }",
     "(int64[n] a) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, 28, 4, 11, "
     "18, 25}, int64 s = {16}> { m = Mod(a, s) d = Sub(a, m) i = Div(d, s) y = Gather(t, i) }"},
    {"hour_of_a_time",
     "(int64[n] a) => (float[n] y) <float[24] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6}, int64 s = {3600}, int64 m = {24}> { h = Div(a, s) i "
     "= Mod(h, m) y = Gather(t, i) }",
     "(int64[n] a) => (float[n] y) <float[24] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 106}, int64 s = {3600}, int64 m = {24}> { h = Div(a, s) "
     "i = Mod(h, m) y = Gather(t, i) }",
     "(int64[n] a) => (float[n] y) <float[24] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, 8, 15, 22, "
     "29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6}, int64 s = {3600}, int64 d = {24}> { h = Div(a, s) i "
     "= Mod(h, d) y = Gather(t, i) }"},
    {"place_of_a_grid",
     "(int64[n] r, int64[n] c) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, "
     "8, 15, 22, 29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, "
     "28, 4, 11, 18, 25}, int64 w = {8}> { p = Mul(r, w) i = Add(p, c) y = Gather(t, i) }",
     "(int64[n] r, int64[n] c) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, "
     "8, 15, 22, 29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, "
     "28, 4, 11, 118, 25}, int64 w = {8}> { p = Mul(r, w) i = Add(p, c) y = Gather(t, i) }",
     "(int64[n] r, int64[n] c) => (float[n] y) <float[40] t = {0, 7, 14, 21, 28, 4, 11, 18, 25, 1, "
     "8, 15, 22, 29, 5, 12, 19, 26, 2, 9, 16, 23, 30, 6, 13, 20, 27, 3, 10, 17, 24, 0, 7, 14, 21, "
     "28, 4, 11, 18, 25}, int64 w = {8}> { p = Mul(w, r) i = Add(c, p) y = Gather(t, i) }"},
    {"cache_that_is_empty",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,t,4] y) <int64[1] a = {1}> { k = Concat<axis "
     "= 1>(p, x) m = ReduceMean(k, a) z = Add(x, m) y = Neg(z) }",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,t,4] y) <int64[1] a = {1}, int64[1] o = {0}> "
     "{ k = Concat<axis = 1>(p, x) m = ReduceMean(k, a) z = Add(x, m) s = Shape<start = 1, end = "
     "2>(p) e = Equal(s, o) n = Neg(z) y = Where(e, z, n) }",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,t,4] y) <int64[1] a = {1}, int64[1] o = {0}> "
     "{ k = Concat<axis = 1>(p, x) m = ReduceMean(k, a) z = Add(x, m) s = Shape<start = 1, end = "
     "2>(p) e = Equal(s, o) n = Neg(z) y = Where(e, n, n) }"},
    {"window_of_a_cache",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,w,4] y) <int64[1] s = {-64}, int64[1] e = "
     "{9223372036854775807}, int64[1] a = {1}> { k = Concat<axis = 1>(p, x) y = Slice(k, s, e, a) "
     "}",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,w,4] y) <int64[1] s = {-63}, int64[1] e = "
     "{9223372036854775807}, int64[1] a = {1}> { k = Concat<axis = 1>(p, x) y = Slice(k, s, e, a) "
     "}",
     "(float[b,t,4] x, float[b,past,4] p) => (float[b,w,4] y) <int64[1] s = {-64}, int64[1] e = "
     "{9223372036854775807}, int64[1] a = {1}> { k = Concat<axis = 1>(p, x) y = Slice(k, s, e, a) "
     "}"},
    // What counts is taken from the number of ones alone.
    {"mask_that_begins_with_zeros",
     "(float[b,s] x, int64[b,s] m) => (float[b,1] y) <int64[1] a = {1}> {"
     " f = Cast<to = 1>(m) p = Mul(x, f) y = ReduceSum<keepdims = 1>(p, a) }",
     "(float[b,s] x, int64[b,s] m) => (float[b,1] y)"
     " <int64[1] a = {1}, int64 zero = {0}, int64 o = {1}> {"
     " n = ReduceSum<keepdims = 1>(m, a) e = Shape<start = 1, end = 2>(x) i = Squeeze(e)"
     " r = Range(zero, i, o) l = Less(r, n) f = Cast<to = 1>(l) p = Mul(x, f)"
     " y = ReduceSum<keepdims = 1>(p, a) }",
     "(float[b,s] x, int64[b,s] m) => (float[b,1] y) <int64[1] a = {1}, float z = {0}> {"
     " c = Cast<to = 9>(m) p = Where(c, x, z) y = ReduceSum<keepdims = 1>(p, a) }"},
    {"lengths_against_a_range",
     "(float[b,t,3] x, int64[b] n) => (float[b,t,3] y)"
     " <int64[1] one = {1}, int64[1] two = {2}, int64 z = {0}, int64 o = {1}, float zero = {0}> {"
     " d = Shape<start = 1, end = 2>(x) e = Squeeze(d) r = Range(z, e, o) u = Unsqueeze(n, one)"
     " l = Less(r, u) m = Unsqueeze(l, two) y = Where(m, x, zero) }",
     "(float[b,t,3] x, int64[b] n) => (float[b,t,3] y)"
     " <int64[1] one = {1}, int64[1] two = {2}, int64 z = {0}, int64 o = {1}, float zero = {0},"
     " int64 three = {3}> {"
     " d = Shape<start = 1, end = 2>(x) e = Squeeze(d) r = Range(z, e, o) c = Min(n, three)"
     " u = Unsqueeze(c, one) l = Less(r, u) m = Unsqueeze(l, two) y = Where(m, x, zero) }",
     "(float[b,t,3] x, int64[b] n) => (float[b,t,3] y)"
     " <int64[1] one = {1}, int64[1] two = {2}, int64 z = {0}, int64 o = {1}> {"
     " d = Shape<start = 1, end = 2>(x) e = Squeeze(d) r = Range(z, e, o) u = Unsqueeze(n, one)"
     " l = Less(r, u) m = Unsqueeze(l, two) f = Cast<to = 1>(m) y = Mul(x, f) }"},
    {"limit_of_integers",
     "(int64[n] a) => (int64[n] y) <int64 l = {-40}, int64 h = {700}> {"
     " y = Clip(a, l, h) }",
     "(int64[n] a) => (int64[n] y) <int64 l = {-41}, int64 h = {700}> { y = Clip(a, l, h) }",
     "(int64[n] a) => (int64[n] y) <int64 l = {-40}, int64 h = {700}> { m = Max(a, l)"
     " y = Min(m, h) }"},
    {"product_beyond_32_bits",
     "(int64[n,2] a) => (int64[n,2] y) <int64 k = {7919}> { y = Mul(a, k) }",
     "(int64[n,2] a) => (int64[n,2] y) <int32 k = {7919}> { c = Cast<to = 6>(a) p = Mul(c, k)"
     " y = Cast<to = 7>(p) }",
     "(int64[n,2] a) => (int64[n,2] y) <int64 k = {-7919}> { p = Mul(a, k) y = Neg(p) }"},
    {"ids_from_the_end",
     "(int64[n] a) => (float[n] y) <float[6] t = {1, 2, 3, 4, 5, 6}> { y = Gather(t, a) }",
     "(int64[n] a) => (float[n] y) <float[6] t = {1, 2, 3, 4, 5, 6}, int64 z = {0}> {"
     " c = Max(a, z) y = Gather(t, c) }",
     "(int64[n] a) => (float[n] y) <float[6] t = {1, 2, 3, 4, 5, 6}, int64 z = {0},"
     " int64 s = {6}> { c = Less(a, z) f = Add(a, s) i = Where(c, f, a) y = Gather(t, i) }"},
    {"the_same_place_twice",
     "(int64[n,1] i, float[n,1] u) => (float[40,1] y) <float z = {0}, int64[2] s = {40, 1}> {"
     " t = Expand(z, s) y = ScatterElements<reduction = \"add\">(t, i, u) }",
     "(int64[n,1] i, float[n,1] u) => (float[40,1] y) <float z = {0}, int64[2] s = {40, 1}> {"
     " t = Expand(z, s) y = ScatterElements(t, i, u) }",
     "(int64[n,1] i, float[n,1] u) => (float[40,1] y) <float z = {0}, int64[2] s = {40, 1}> {"
     " t = Expand(z, s) n = Neg(u) m = ScatterElements<reduction = \"add\">(t, i, n)"
     " y = Neg(m) }"},
    {"numbers_that_are_none",
     "(float[n,3] x) => (float[n,3] y) <float f = {2.5}> { c = IsNaN(x) y = Where(c, f, x) }",
     "(float[n,3] x) => (float[n,3] y) <float f = {0}> { c = IsNaN(x) y = Where(c, f, x) }",
     "(float[n,3] x) => (float[n,3] y) <float f = {2.5}> { c = Equal(x, x) y = Where(c, x, f) }"},
    {"sentinel",
     "(float[n,3] x) => (float[n,3] y) <float s = {-999}, float f = {2}> { c = Equal(x, s)"
     " y = Where(c, f, x) }",
     "(float[n,3] x) => (float[n,3] y) { y = Identity(x) }",
     "(float[n,3] x) => (float[n,3] y) <float s = {-999}, float f = {2}> { c = Equal(s, x)"
     " d = Not(c) y = Where(d, x, f) }"},
    {"threshold_of_a_branch",
     "(float[n,4] x) => (float[n,4] y) <float k = {30}> { m = ReduceMax<keepdims = 0>(x)"
     " c = Greater(m, k) y = If(c) <then_branch = t () => (float[n,4] p) { p = Neg(x) },"
     " else_branch = e () => (float[n,4] q) { q = Identity(x) }> }",
     "(float[n,4] x) => (float[n,4] y) <float k = {90}> { m = ReduceMax<keepdims = 0>(x)"
     " c = Greater(m, k) y = If(c) <then_branch = t () => (float[n,4] p) { p = Neg(x) },"
     " else_branch = e () => (float[n,4] q) { q = Identity(x) }> }",
     "(float[n,4] x) => (float[n,4] y) <float k = {30}> { m = ReduceMax<keepdims = 0>(x)"
     " c = Less(k, m) y = If(c) <then_branch = t () => (float[n,4] p) { p = Neg(x) },"
     " else_branch = e () => (float[n,4] q) { q = Identity(x) }> }"},
    // Neither the length of the past nor that of all is told by a name.
    {"mask_over_past_and_new",
     "(int64[b,q] i, int64[b,k] m, float[b,c,4] p) => (float[b,1,4] y)"
     " <float[5,4] e = {0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 4, 3, 2, 1, 0.5, 0, 1, 0, 7, 1, 2, 6},"
     " int64[1] two = {2}, int64[1] one = {1}> { g = Gather(e, i) h = Concat<axis = 1>(p, g)"
     " f = Cast<to = 1>(m) u = Unsqueeze(f, two) w = Mul(h, u)"
     " y = ReduceSum<keepdims = 1>(w, one) }",
     "(int64[b,q] i, int64[b,k] m, float[b,c,4] p) => (float[b,1,4] y)"
     " <float[5,4] e = {0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 4, 3, 2, 1, 0.5, 0, 1, 0, 7, 1, 2, 6},"
     " int64[1] two = {2}, int64[1] one = {1}, float zero = {0}, float unit = {1}> {"
     " g = Gather(e, i) h = Concat<axis = 1>(p, g)"
     " f = Cast<to = 1>(m) u = Unsqueeze(f, two) t = Mul(u, zero) o = Add(t, unit)"
     " w = Mul(h, o) y = ReduceSum<keepdims = 1>(w, one) }",
     "(int64[b,q] i, int64[b,k] m, float[b,c,4] p) => (float[b,1,4] y)"
     " <float[5,4] e = {0.1, 0.2, 0.3, 0.4, 1, 2, 3, 4, 4, 3, 2, 1, 0.5, 0, 1, 0, 7, 1, 2, 6},"
     " int64[1] two = {2}, int64[1] one = {1}, float z = {0}> { g = Gather(e, i)"
     " h = Concat<axis = 1>(p, g) f = Cast<to = 9>(m) u = Unsqueeze(f, two) w = Where(u, h, z)"
     " y = ReduceSum<keepdims = 1>(w, one) }"},
    {"integer_that_means_missing",
     "(int64[n] x) => (int64[n] y) <int64 s = {-100}, int64 f = {3}> { c = Equal(x, s)"
     " y = Where(c, f, x) }",
     "(int64[n] x) => (int64[n] y) { y = Identity(x) }",
     "(int64[n] x) => (int64[n] y) <int64 s = {-100}, int64 f = {3}> { c = Equal(x, s) d = Not(c)"
     " y = Where(d, x, f) }"},
    {"numbers_far_below",
     "(float[n,3] x) => (float[n,3] y) <float s = {-9998}, float f = {0}> { c = Less(x, s)"
     " y = Where(c, f, x) }",
     "(float[n,3] x) => (float[n,3] y) { y = Identity(x) }",
     "(float[n,3] x) => (float[n,3] y) <float s = {-9998}, float f = {0}> { c = Less(x, s)"
     " d = Not(c) y = Where(d, x, f) }"},
    {"what_does_not_equal_itself",
     "(float[n,3] x) => (float[n,3] y) <float f = {2}> { c = Equal(x, x) y = Where(c, x, f) }",
     "(float[n,3] x) => (float[n,3] y) { y = Identity(x) }",
     "(float[n,3] x) => (float[n,3] y) <float f = {2}> { c = IsNaN(x) y = Where(c, f, x) }"},
    {"branch_by_a_number_of_steps",
     "(float[n] x, int64 t) => (float[n] y) <int64 k = {100}> { c = Greater(t, k)"
     " y = If(c) <then_branch = t () => (float[n] p) { p = Neg(x) },"
     " else_branch = e () => (float[n] q) { q = Identity(x) }> }",
     "(float[n] x, int64 t) => (float[n] y) { y = Identity(x) }",
     "(float[n] x, int64 t) => (float[n] y) <int64 k = {100}> { c = LessOrEqual(t, k)"
     " y = If(c) <then_branch = t () => (float[n] p) { p = Identity(x) },"
     " else_branch = e () => (float[n] q) { q = Neg(x) }> }"},
    {"branch_by_a_size",
     "(float[n] x) => (float[n] y) <int64 k = {64}> { d = Shape(x) e = Squeeze(d)"
     " c = Greater(e, k) y = If(c) <then_branch = t () => (float[n] p) { p = Neg(x) },"
     " else_branch = e () => (float[n] q) { q = Identity(x) }> }",
     "(float[n] x) => (float[n] y) { y = Identity(x) }",
     "(float[n] x) => (float[n] y) <int64 k = {64}> { d = Shape(x) e = Squeeze(d)"
     " c = Less(k, e) y = If(c) <then_branch = t () => (float[n] p) { p = Neg(x) },"
     " else_branch = e () => (float[n] q) { q = Identity(x) }> }"},
    {"branch_by_a_sum",
     "(float[n] x) => (float[n] y) <float k = {50}> { s = ReduceSum<keepdims = 0>(x)"
     " c = Greater(s, k) y = If(c) <then_branch = t () => (float[n] p) { p = Neg(x) },"
     " else_branch = e () => (float[n] q) { q = Identity(x) }> }",
     "(float[n] x) => (float[n] y) { y = Identity(x) }",
     "(float[n] x) => (float[n] y) <float k = {50}> { s = ReduceSum<keepdims = 0>(x)"
     " c = Less(k, s) y = If(c) <then_branch = t () => (float[n] p) { p = Neg(x) },"
     " else_branch = e () => (float[n] q) { q = Identity(x) }> }"},
    {"time_in_nanoseconds", "(int64[n] t) => (int64[n] y) { y = Identity(t) }",
     "(int64[n] t) => (int64[n] y) { f = Cast<to = 11>(t) y = Cast<to = 7>(f) }",
     "(int64[n] t) => (int64[n] y) { m = Neg(t) y = Neg(m) }"},
    {"several_that_are_greatest",
     "(float[n,4] x) => (int64[n] y) { y = ArgMax<axis = 1, keepdims = 0>(x) }",
     "(float[n,4] x) => (int64[n] y) { y = ArgMax<axis = 1, keepdims = 0,"
     " select_last_index = 1>(x) }",
     "(float[n,4] x) => (int64[n] y) { m = Neg(x) y = ArgMin<axis = 1, keepdims = 0>(m) }"},
    // The ids are within the table that they select from themselves, and beyond that of remainders.
    {"ids_and_their_remainders",
     "(int64[n] i) => (float[n] y) <float[9] t = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] u = {1, 2, "
     "4},"
     " int64 k = {3}> { g = Gather(t, i) m = Mod(i, k) h = Gather(u, m) y = Add(g, h) }",
     "(int64[n] i) => (float[n] y) <float[9] t = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] u = {1, 2, "
     "4},"
     " int64 z = {0}, int64 k = {2}> { g = Gather(t, i) m = Clip(i, z, k) h = Gather(u, m)"
     " y = Add(g, h) }",
     "(int64[n] i) => (float[n] y) <float[9] t = {1, 2, 3, 4, 5, 6, 7, 8, 9}, float[3] u = {1, 2, "
     "4},"
     " int64 k = {3}> { m = Mod(i, k) h = Gather(u, m) g = Gather(t, i) y = Add(h, g) }"},
    {"remainders_of_ids_below_0",
     "(int64[n] i) => (float[n] y) <float[5] t = {1, 2, 4, 8, 16}, int64 k = {5}> {"
     " m = Mod(i, k) y = Gather(t, m) }",
     "(int64[n] i) => (float[n] y) <float[5] t = {1, 2, 4, 8, 16}, int64 k = {5}> {"
     " f = Mod<fmod = 1>(i, k) m = Abs(f) y = Gather(t, m) }",
     "(int64[n] i) => (float[n] y) <float[5] t = {1, 2, 4, 8, 16}, int64 k = {5}> {"
     " f = Mod<fmod = 1>(i, k) a = Add(f, k) m = Mod(a, k) y = Gather(t, m) }"},
    {"sum_beyond_32_bits", "(int64[n] a) => (int64 y) { y = ReduceSum<keepdims = 0>(a) }",
     "(int64[n] a) => (int64 y) { c = Cast<to = 6>(a) s = ReduceSum<keepdims = 0>(c)"
     " y = Cast<to = 7>(s) }",
     "(int64[n] a) => (int64 y) { m = Neg(a) s = ReduceSum<keepdims = 0>(m) y = Neg(s) }"},
    {"single_integer", "(int64 t) => (int64 y) { y = Identity(t) }",
     "(int64 t) => (int64 y) { f = Cast<to = 1>(t) y = Cast<to = 7>(f) }",
     "(int64 t) => (int64 y) { n = Neg(t) y = Neg(n) }"},
    {"exactly_at_a_limit",
     "(float[n] x) => (bool[n] y) <float k = {3}, float b = {1.25}> {"
     " s = Add(x, b) y = Less(s, k) }",
     "(float[n] x) => (bool[n] y) <float k = {3}, float b = {1.25}> {"
     " s = Add(x, b) y = LessOrEqual(s, k) }",
     "(float[n] x) => (bool[n] y) <float k = {1.75}> { g = GreaterOrEqual(x, k) y = Not(g) }"},
    {"equal_values", "(float[n] a, float[n] b) => (bool[n] y) { y = Greater(a, b) }",
     "(float[n] a, float[n] b) => (bool[n] y) { y = GreaterOrEqual(a, b) }",
     "(float[n] a, float[n] b) => (bool[n] y) { y = Less(b, a) }"},
    {"equal_integers", "(int64[n] a, int64[n] b) => (bool[n] y) { y = Greater(a, b) }",
     "(int64[n] a, int64[n] b) => (bool[n] y) { y = GreaterOrEqual(a, b) }",
     "(int64[n] a, int64[n] b) => (bool[n] y) { y = Less(b, a) }"},
    {"ends_of_narrow_integers", "(int16[n] a) => (int32[n] y) { c = Cast<to = 6>(a) y = Abs(c) }",
     "(int16[n] a) => (int32[n] y) { b = Abs(a) y = Cast<to = 6>(b) }",
     "(int16[n] a) => (int32[n] y) { c = Cast<to = 6>(a) n = Neg(c) y = Max(c, n) }"},
    {"below_zero_is_no_mask",
     "(int64[n] t) => (int64[n] y) <int64 d = {7}, int64 m = {6}, int64 z = {0}> {"
     " c = Less(t, z) s = Sub(t, m) k = Where(c, s, t) y = Div(k, d) }",
     "(int64[n] t) => (int64[n] y) <int64 d = {7}> { y = Div(t, d) }",
     "(int64[n] t) => (int64[n] y) <int64 d = {7}, int64 m = {6}, int64 z = {0}> {"
     " c = GreaterOrEqual(t, z) s = Sub(t, m) k = Where(c, t, s) y = Div(k, d) }"},
    {"cut_at_a_length",
     "(float[b,s,3] x) => (float[b,c,3] y) <int64[1] z = {0}, int64[1] k = {128},"
     " int64[1] a = {1}> { y = Slice(x, z, k, a) }",
     "(float[b,s,3] x) => (float[b,c,3] y) <int64[1] z = {0}, int64[1] k = {126},"
     " int64[1] a = {1}> { y = Slice(x, z, k, a) }",
     "(float[b,s,3] x) => (float[b,c,3] y) <int64[1] z = {0}, int64[1] k = {128},"
     " int64[1] a = {1}> { n = Neg(x) m = Slice(n, z, k, a) y = Neg(m) }"},
    {"larger_images",
     "(float[1,3,h,w] x) => (float[1,3,p,q] y) <int64 k = {64}> {"
     " s = Shape<start = 2, end = 3>(x) l = Squeeze(s) c = Greater(l, k) y = If(c)"
     " <then_branch = t () => (float[1,3,p,q] u) { u = Neg(x) },"
     " else_branch = e () => (float[1,3,h,w] v) { v = Identity(x) }> }",
     "(float[1,3,h,w] x) => (float[1,3,p,q] y) { y = Identity(x) }",
     "(float[1,3,h,w] x) => (float[1,3,p,q] y) <int64 k = {64}> {"
     " s = Shape<start = 2, end = 3>(x) l = Squeeze(s) c = Less(k, l) y = If(c)"
     " <then_branch = t () => (float[1,3,p,q] u) { u = Neg(x) },"
     " else_branch = e () => (float[1,3,h,w] v) { v = Identity(x) }> }"},
    {"nothing_but_zeros",
     "(float[n,8] x) => (float[n,1] y) <int64[1] a = {1}, float e = {1e-10}> {"
     " p = Mul(x, x) s = ReduceSum<keepdims = 1>(p, a) m = Max(s, e) y = Log(m) }",
     "(float[n,8] x) => (float[n,1] y) <int64[1] a = {1}> {"
     " p = Mul(x, x) s = ReduceSum<keepdims = 1>(p, a) y = Log(s) }",
     "(float[n,8] x) => (float[n,1] y) <int64[1] a = {1}, float e = {1e-10}> {"
     " p = Mul(x, x) s = ReduceSum<keepdims = 1>(p, a) m = Max(e, s) y = Log(m) }"},
    {"labels_that_do_not_count",
     "(float[n,5] x, int64[n] l) => (float[n] y) <int64 k = {-100}, int64 z = {0},"
     " float none = {0}, int64[1] a = {1}> { e = Equal(l, k) s = Where(e, z, l)"
     " u = Unsqueeze(s, a) g = GatherElements<axis = 1>(x, u) q = Squeeze(g, a)"
     " y = Where(e, none, q) }",
     "(float[n,5] x, int64[n] l) => (float[n] y) <int64 k = {-100}, int64 z = {0},"
     " int64[1] a = {1}> { e = Equal(l, k) s = Where(e, z, l)"
     " u = Unsqueeze(s, a) g = GatherElements<axis = 1>(x, u) y = Squeeze(g, a) }",
     "(float[n,5] x, int64[n] l) => (float[n] y) <int64 k = {-100}, int64 z = {0},"
     " float none = {0}, int64[1] a = {1}> { e = Equal(l, k) n = Not(e) s = Where(n, l, z)"
     " u = Unsqueeze(s, a) g = GatherElements<axis = 1>(x, u) q = Squeeze(g, a)"
     " y = Where(n, q, none) }"},
    {"unknown_words",
     "(int64[b,s] i) => (float[b,s,1] y) <float[4,1] t = {1, 2, 4, 8}, int64 v = {3},"
     " int64 u = {1}> { c = Greater(i, v) k = Where(c, u, i) y = Gather(t, k) }",
     "(int64[b,s] i) => (float[b,s,1] y) <float[4,1] t = {1, 2, 4, 8}, int64 v = {3}> {"
     " k = Min(i, v) y = Gather(t, k) }",
     "(int64[b,s] i) => (float[b,s,1] y) <float[4,1] t = {1, 2, 4, 8}, int64 v = {3},"
     " int64 u = {1}> { c = LessOrEqual(i, v) k = Where(c, i, u) y = Gather(t, k) }"},
    // Ids within the table of 4 rows, though the number of rows of the other is told by the input.
    {"edges_of_a_graph",
     "(float[4,2] x, int64[9] i) => (float[9,2] y) <float[6,2] t = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,"
     " 10, 11}> { g = Gather(x, i) h = Gather(t, i) y = Add(g, h) }",
     "(float[4,2] x, int64[9] i) => (float[9,2] y) <float[6,2] t = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,"
     " 10, 11}> { g = Gather(x, i) h = Gather(t, i) y = Sub(g, h) }",
     "(float[4,2] x, int64[9] i) => (float[9,2] y) <float[6,2] t = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9,"
     " 10, 11}> { g = Gather(x, i) h = Gather(t, i) m = Neg(h) y = Sub(g, m) }"},
};

class TradeSetsTest : public ::testing::TestWithParam<Pair> {};

TEST_P(TradeSetsTest, FindsWhereTheyDiffer) {
  EXPECT_EQ(OnSets(GetParam().left, GetParam().wrong).verdict(), Verdict::kDifferent);
}

TEST_P(TradeSetsTest, TwinsAgree) {
  const Comparison comparison = OnSets(GetParam().left, GetParam().twin);
  EXPECT_LE(comparison.verdict(), Verdict::kClose) << VerdictName(comparison.verdict());
  EXPECT_THAT(comparison.unread, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, TradeSetsTest, ::testing::ValuesIn(kPairs),
                         [](const ::testing::TestParamInfo<Pair>& info) {
                           return std::string(info.param.name);
                         });

TEST(KnownDifferencesTest, RowsThatDifferAreFed) {
  std::string table;
  for (int i = 0; i < 900; ++i) absl::StrAppend(&table, i == 0 ? "" : ", ", i);
  const auto graph = [&](const std::string& last) {
    return absl::StrCat("(int64[n,t] i) => (float[n,t] y) <float[901] w = {", table, ", ", last,
                        "}> { y = Gather(w, i) }");
  };
  EXPECT_EQ(OnSets(graph("900"), graph("901")).verdict(), Verdict::kDifferent);
  // Rounding is none.
  const Comparison rounded = OnSets(graph("900"), graph("900.0001"));
  EXPECT_LE(rounded.verdict(), Verdict::kClose);
  EXPECT_THAT(rounded.unread, IsEmpty());
}

// The first rows of a table of 300, as many as the input is long.
std::string Positions(const std::string& length, const std::string& last) {
  std::string table;
  for (int i = 0; i < 299; ++i) absl::StrAppend(&table, i, ", ");
  return absl::StrCat("(float[1,", length, "] x) => (float[1,", length, "] y) <float[300] w = {",
                      table, last,
                      "}, int64[1] z = {0}> { s = Shape<start = 1, end = 2>(x)"
                      " p = Slice(w, z, s, z) y = Add(x, p) }");
}

TEST(KnownDifferencesTest, SequencesReachThem) {
  EXPECT_EQ(OnSets(Positions("t", "299"), Positions("t", "5")).verdict(), Verdict::kDifferent);
  EXPECT_EQ(OnSets(Positions("t", "299"), Positions("t", "299")).verdict(), Verdict::kSame);
}

TEST(KnownDifferencesTest, WhatNothingReachesIsSaid) {
  Comparison comparison = OnSets(Positions("12", "299"), Positions("12", "5"));
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  ASSERT_THAT(comparison.unread, ElementsAre(Field(&UnreadRows::rows, "row 299")));
  EXPECT_EQ(UnreadText(comparison.unread[0]),
            "row 299 of `w` differs and was not read by any input that was tried");
  EXPECT_EQ(ExitStatusOf(comparison), 0);
  comparison.fail_on = FailOn::kCauses;
  EXPECT_EQ(ExitStatusOf(comparison), 1);
  EXPECT_THAT(OtherFailure(comparison), HasSubstr("row 299 of `w` differs"));
}

// What a position that is padded sees, together with all before it, is nobody's.
TEST(PaddingTest, WhatPaddedPositionsHoldDoesNotCount) {
  const auto graph = [](const char* low) {
    return absl::StrCat(
        "(float[b,6] x, int64[b,6] m) => (float[b,6] y) <float low = {", low,
        "}, float o = {1}, float[1,6,6] causal = {0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, "
        "1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, int64[1] one = {1}, "
        "int64[1] two = {2}> { f = Cast<to = 1>(m) i = Sub(o, f) u = Unsqueeze(i, one)"
        " k = Max(u, causal) n = Mul(k, low) c = Unsqueeze(x, two) r = Unsqueeze(x, one)"
        " q = MatMul(c, r) z = Add(q, n) p = Softmax<axis = -1>(z) v = MatMul(p, c)"
        " y = Squeeze(v, two) }");
  };
  EXPECT_LE(OnSets(graph("-1e4"), graph("-3e38")).verdict(), Verdict::kClose);
  EXPECT_EQ(OnSets(graph("-1e4"), graph("-1")).verdict(), Verdict::kDifferent);
}

TEST(WithoutPaddingTest, PutsZerosWhereTheMaskHasThem) {
  const Tensor mask = Tensor::Of<int64_t>({1, 3}, {0, 1, 1});
  const auto zeroed = [&](const Tensor& output) {
    return WithoutPadding({{"y", output}}, mask)[0].value.tensor();
  };
  testing::ExpectSameBits(zeroed(Tensor::Of<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6})),
                          Tensor::Of<float>({1, 3, 2}, {0, 0, 3, 4, 5, 6}));
  testing::ExpectSameBits(zeroed(Tensor::Of<float>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})),
                          Tensor::Of<float>({1, 2, 3, 1}, {0, 2, 3, 0, 5, 6}));
  // What is new stands at the end of past and new.
  testing::ExpectSameBits(zeroed(Tensor::Of<float>({1, 2, 1}, {5, 6})),
                          Tensor::Of<float>({1, 2, 1}, {5, 6}));
  testing::ExpectSameBits(zeroed(Tensor::Of<float>({1, 5}, {1, 2, 3, 4, 5})),
                          Tensor::Of<float>({1, 5}, {1, 2, 3, 4, 5}));
}

TEST(SizesOfOneSideTest, AreAFinding) {
  const char* const any = "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }";
  const char* const baked =
      "(float[b,8] x) => (float[b,8] y) <int64[2] s = {1, 8}> { r = Reshape(x, s) y = Relu(r) }";
  const Comparison comparison = OnSets(any, baked);
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  EXPECT_EQ(ExitStatusOf(comparison), 1);
  EXPECT_THAT(comparison.sizes_of_one_side, HasSubstr("both run with b 1"));
  const char* const twin =
      "(float[b,8] x) => (float[b,8] y) <int64[2] s = {-1, 8}> { r = Reshape(x, s) y = Relu(r) }";
  EXPECT_EQ(OnSets(any, twin).sizes_of_one_side, "");
}

TEST(SizesOfOneSideTest, AFixedSizeIsSaid) {
  const char* const any = "(float[b,8] x) => (float[b,8] y) { y = Relu(x) }";
  const char* const fixed = "(float[4,8] x) => (float[4,8] y) { y = Relu(x) }";
  const Comparison comparison = OnSets(any, fixed);
  EXPECT_EQ(comparison.verdict(), Verdict::kSame);
  EXPECT_THAT(comparison.frozen, ElementsAre("4 along axis 0 of `x`, which the right has fixed"));
  ASSERT_EQ(comparison.coverage->missing.size(), 1u);
  EXPECT_EQ(comparison.coverage->missing[0].why, "its axis 0 is 4 on the right");
  EXPECT_THAT(OnSets(fixed, fixed).frozen, IsEmpty());
}

TEST(FrozenInputsTest, SingleNumbersAreNamedUnlessTheyAreWeights) {
  const char* const left = "(float[n] x, float k) => (float[n] y) { y = Mul(x, k) }";
  const char* const right = "(float[n] x) => (float[n] y) <float k = {2}> { y = Mul(x, k) }";
  EXPECT_THAT(OnSets(left, right).frozen, ElementsAre("`k` as the right has frozen it: 2"));
  const char* const weights =
      "(float[n,2] x, float[2] w, float k) => (float[n,2] y) {"
      " p = Mul(x, w) y = Add(p, k) }";
  const char* const constants =
      "(float[n,2] x) => (float[n,2] y) <float[2] w = {2, 3},"
      " float k = {1}> { p = Mul(x, w) y = Add(p, k) }";
  EXPECT_THAT(OnSets(weights, constants).frozen, IsEmpty());
}

TEST(FrozenInputsTest, AreNamed) {
  const char* const left =
      "(float[2,4] x, int64[2,4] m) => (float[2,4] y) { f = Cast<to = 1>(m) y = Mul(x, f) }";
  const char* const right =
      "(float[2,4] x) => (float[2,4] y) <int64[2,4] m = {1, 1, 1, 1, 1, 1, 1, 1}> {"
      " f = Cast<to = 1>(m) y = Mul(x, f) }";
  const Comparison comparison = OnSets(left, right);
  EXPECT_THAT(comparison.frozen, ElementsAre("`m` as the right has frozen it: all 1"));
  EXPECT_THAT(comparison.coverage->missing,
              Contains(Field(&UnexercisedNode::why, "it is a constant of the right")));
  EXPECT_THAT(OnSets(left, left).frozen, IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
