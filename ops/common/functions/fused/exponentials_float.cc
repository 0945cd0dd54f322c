// Exponential functions and logarithms of floats, as SLEEF 3.5.1 computes them with fused
// multiply-adds (Boost Software License, LICENSE.txt): the same bits as its functions for AVX2,
// wherever Fma() is right. The comments of its source say how the polynomials were found.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "ops/common/functions/fused/functions.h"
#include "ops/common/functions/fused/two.h"

namespace onnxcmp::vec::fused {
namespace {

Two<float> TwoLog(float d) {
  Two<float> x, x2;
  float t, m;
  bool o = d < std::numeric_limits<float>::min();
  d = o ? d * 0x1p64F : d;
  int32_t e = ExponentOfNormal(d * (1.0F / 0.75F));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  x = Divide(AddAny(-1.0F, m), AddAny(1.0F, m));
  x2 = Square(x);
  t = 0.240320354700088500976562F;
  t = Fma(t, x2.x, 0.285112679004669189453125F);
  t = Fma(t, x2.x, 0.400007992982864379882812F);
  Two<float> c = Two<float>{0.66666662693023681640625F, 3.69183861259614332084311e-09F};
  Two<float> s = Multiply(Two<float>{0.69314718246459960938F, -1.904654323148236017e-09F},
                          static_cast<float>(e));
  s = Add(s, Scale(x, 2.0F));
  s = Add(s, Multiply(Multiply(x2, x), AddAny(Multiply(x2, t), c)));
  return s;
}

float ExpOfTwo(Two<float> d) {
  float u = (d.x + d.y) * 1.442695040888963407359924681001892137426645954152985934135449406931F;
  int32_t q = ToInteger(std::rint(u));
  Two<float> s, t;
  s = AddAny(d, static_cast<float>(q) * -0.693145751953125F);
  s = AddAny(s, static_cast<float>(q) * -1.428606765330187045e-06F);
  s = Normalize(s);
  u = 0.00136324646882712841033936F;
  u = Fma(u, s.x, 0.00836596917361021041870117F);
  u = Fma(u, s.x, 0.0416710823774337768554688F);
  u = Fma(u, s.x, 0.166665524244308471679688F);
  u = Fma(u, s.x, 0.499999850988388061523438F);
  t = Add(s, Multiply(Square(s), u));
  t = Add(1.0F, t);
  u = t.x + t.y;
  u = TimesAnyPowerOfTwo(u, q);
  u = ZeroIf(d.x < -104.0F, u);
  return u;
}

Two<float> TwoExpOfTwo(Two<float> d) {
  float u = (d.x + d.y) * 1.442695040888963407359924681001892137426645954152985934135449406931F;
  int32_t q = ToInteger(std::rint(u));
  Two<float> s, t;
  s = AddAny(d, static_cast<float>(q) * -0.693145751953125F);
  s = AddAny(s, static_cast<float>(q) * -1.428606765330187045e-06F);
  u = 0.1980960224e-3F;
  u = Fma(u, s.x, 0.1394256484e-2F);
  u = Fma(u, s.x, 0.8333456703e-2F);
  u = Fma(u, s.x, 0.4166637361e-1F);
  t = AddAny(Multiply(s, u), 0.166666659414234244790680580464e+0F);
  t = AddAny(Multiply(s, t), 0.5F);
  t = AddAny(s, Multiply(Square(s), t));
  t = Add(1.0F, t);
  t.x = TimesPowerOfTwo(t.x, q);
  t.y = TimesPowerOfTwo(t.y, q);
  t.x = ZeroIf(d.x < -104.0F, t.x);
  t.y = ZeroIf(d.x < -104.0F, t.y);
  return t;
}

Two<float> TwoLogOfTwo(Two<float> d) {
  Two<float> x, x2, m, s;
  float t;
  int32_t e;
  e = ExponentOf(d.x * (1.0F / 0.75F));
  m = Scale(d, PowerOfTwo<float>(-e));
  x = Divide(AddAny(m, -1.0F), AddAny(m, 1.0F));
  x2 = Square(x);
  t = 0.2392828464508056640625F;
  t = Fma(t, x2.x, 0.28518211841583251953125F);
  t = Fma(t, x2.x, 0.400005877017974853515625F);
  t = Fma(t, x2.x, 0.666666686534881591796875F);
  s = Multiply(Two<float>{0.69314718246459960938F, -1.904654323148236017e-09F},
               static_cast<float>(e));
  s = Add(s, Scale(x, 2.0F));
  s = Add(s, Multiply(Multiply(x2, x), t));
  return s;
}

}  // namespace

float exp(float d) {
  int32_t q = ToInteger(
      std::rint(d * 1.442695040888963407359924681001892137426645954152985934135449406931F));
  float s, u;
  s = Fma(static_cast<float>(q), -0.693145751953125F, d);
  s = Fma(static_cast<float>(q), -1.428606765330187045e-06F, s);
  u = 0.000198527617612853646278381F;
  u = Fma(u, s, 0.00139304355252534151077271F);
  u = Fma(u, s, 0.00833336077630519866943359F);
  u = Fma(u, s, 0.0416664853692054748535156F);
  u = Fma(u, s, 0.166666671633720397949219F);
  u = Fma(u, s, 0.5F);
  u = 1.0F + Fma(s * s, u, s);
  u = TimesPowerOfTwo(u, q);
  u = ZeroIf(d < -104.0F, u);
  u = 100.0F < d ? kInfinity<float> : u;
  return u;
}

float log(float d) {
  Two<float> x;
  float t, m, x2;
  bool o = d < std::numeric_limits<float>::min();
  d = o ? d * 0x1p64F : d;
  int32_t e = ExponentOfNormal(d * (1.0F / 0.75F));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  Two<float> s = Multiply(Two<float>{0.69314718246459960938F, -1.904654323148236017e-09F},
                          static_cast<float>(e));
  x = Divide(AddAny(-1.0F, m), AddAny(1.0F, m));
  x2 = x.x * x.x;
  t = 0.3027294874e+0F;
  t = Fma(t, x2, 0.3996108174e+0F);
  t = Fma(t, x2, 0.6666694880e+0F);
  s = Add(s, Scale(x, 2.0F));
  s = Add(s, x2 * x.x * t);
  float r = s.x + s.y;
  r = d == kInfinity<float> ? kInfinity<float> : r;
  r = d < 0.0F || std::isnan(d) ? kNan<float> : r;
  r = d == 0.0F ? -kInfinity<float> : r;
  return r;
}

float pow(float x, float y) {
  bool yisint = std::trunc(y) == y || std::fabs(y) > static_cast<float>(1 << 24);
  bool yisodd =
      ((ToInteger(std::trunc(y)) & 1) == 1 && yisint) && std::fabs(y) < static_cast<float>(1 << 24);
  float result = ExpOfTwo(Multiply(TwoLog(std::fabs(x)), y));
  result = std::isnan(result) ? kInfinity<float> : result;
  result = result * (x > 0.0F ? 1.0F : yisint ? (yisodd ? -1.0F : 1.0F) : kNan<float>);
  float efx = TimesSign(std::fabs(x) - 1.0F, y);
  result = std::isinf(y) ? ZeroIf(efx < 0.0F, efx == 0.0F ? 1.0F : kInfinity<float>) : result;
  result = std::isinf(x) || x == 0.0F ? (yisodd ? std::copysign(1.0F, x) : 1.0F) *
                                            ZeroIf((x == 0.0F ? -y : y) < 0.0F, kInfinity<float>)
                                      : result;
  result = NanIf(std::isnan(x) || std::isnan(y), result);
  result = y == 0.0F || x == 1.0F ? 1.0F : result;
  return result;
}

float sinh(float x) {
  float y = std::fabs(x);
  Two<float> d = TwoExpOfTwo(Two<float>{y, 0.0F});
  d = Subtract(d, Reciprocal(d));
  y = (d.x + d.y) * 0.5F;
  y = std::fabs(x) > 89.0F || std::isnan(y) ? kInfinity<float> : y;
  y = TimesSign(y, x);
  y = NanIf(std::isnan(x), y);
  return y;
}

float cosh(float x) {
  float y = std::fabs(x);
  Two<float> d = TwoExpOfTwo(Two<float>{y, 0.0F});
  d = Add(d, Reciprocal(d));
  y = (d.x + d.y) * 0.5F;
  y = std::fabs(x) > 89.0F || std::isnan(y) ? kInfinity<float> : y;
  y = NanIf(std::isnan(x), y);
  return y;
}

float tanh(float x) {
  float y = std::fabs(x);
  Two<float> d = TwoExpOfTwo(Two<float>{y, 0.0F});
  Two<float> e = Reciprocal(d);
  d = Divide(Add(d, Negate(e)), Add(d, e));
  y = d.x + d.y;
  y = std::fabs(x) > 8.664339742F || std::isnan(y) ? 1.0F : y;
  y = TimesSign(y, x);
  y = NanIf(std::isnan(x), y);
  return y;
}

float asinh(float x) {
  float y = std::fabs(x);
  bool o = y > 1.0F;
  Two<float> d;
  d = o ? Reciprocal(x) : Two<float>{y, 0.0F};
  d = Root(AddAny(Square(d), 1.0F));
  d = o ? Multiply(d, y) : d;
  d = TwoLogOfTwo(Normalize(AddAny(d, x)));
  y = d.x + d.y;
  y = std::fabs(x) > 18446743523953729536.0F || std::isnan(y) ? TimesSign(kInfinity<float>, x) : y;
  y = NanIf(std::isnan(x), y);
  y = IsNegativeZero(x) ? -0.0F : y;
  return y;
}

float acosh(float x) {
  Two<float> d = TwoLogOfTwo(AddAny(Multiply(Root(AddAny(x, 1.0F)), Root(AddAny(x, -1.0F))), x));
  float y = d.x + d.y;
  y = std::fabs(x) > 18446743523953729536.0F || std::isnan(y) ? kInfinity<float> : y;
  y = ZeroIf(x == 1.0F, y);
  y = NanIf(x < 1.0F, y);
  y = NanIf(std::isnan(x), y);
  return y;
}

float atanh(float x) {
  float y = std::fabs(x);
  Two<float> d = TwoLogOfTwo(Divide(AddAny(1.0F, y), AddAny(1.0F, -y)));
  y = NanIf(y > 1.0F, y == 1.0F ? kInfinity<float> : (d.x + d.y) * 0.5F);
  y = NanIf(std::isinf(x) || std::isnan(y), y);
  y = TimesSign(y, x);
  y = NanIf(std::isnan(x), y);
  return y;
}

float expm1(float a) {
  Two<float> d = AddAny(TwoExpOfTwo(Two<float>{a, 0.0F}), -1.0F);
  float x = d.x + d.y;
  x = a > 88.72283172607421875F ? kInfinity<float> : x;
  x = a < -16.635532333438687426013570F ? -1.0F : x;
  x = IsNegativeZero(a) ? -0.0F : x;
  return x;
}

float log2(float d) {
  Two<float> x;
  float t, m, x2;
  bool o = d < std::numeric_limits<float>::min();
  d = o ? d * 0x1p64F : d;
  int32_t e = ExponentOfNormal(d * static_cast<float>(1.0 / 0.75));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  x = Divide(AddAny(-1.0F, m), AddAny(1.0F, m));
  x2 = x.x * x.x;
  t = 0.4374550283e+0F;
  t = Fma(t, x2, 0.5764790177e+0F);
  t = Fma(t, x2, 0.9618012905120F);
  Two<float> s =
      AddAny(static_cast<float>(e),
             Multiply(x, Two<float>{2.8853900432586669922F, 3.2734474483568488616e-08F}));
  s = AddAny(s, x2 * x.x * t);
  float r = s.x + s.y;
  r = d == kInfinity<float> ? kInfinity<float> : r;
  r = d < 0.0F || std::isnan(d) ? kNan<float> : r;
  r = d == 0.0F ? -kInfinity<float> : r;
  return r;
}

float log1p(float d) {
  Two<float> x;
  float t, m, x2;
  float dp1 = d + 1.0F;
  bool o = dp1 < std::numeric_limits<float>::min();
  dp1 = o ? dp1 * 0x1p64F : dp1;
  int32_t e = ExponentOfNormal(dp1 * (1.0F / 0.75F));
  t = AddToExponent(1.0F, -e);
  m = Fma(d, t, t - 1.0F);
  e = o ? e - 64 : e;
  Two<float> s = Multiply(Two<float>{0.69314718246459960938F, -1.904654323148236017e-09F},
                          static_cast<float>(e));
  x = Divide(Two<float>{m, 0.0F}, Add(2.0F, m));
  x2 = x.x * x.x;
  t = 0.3027294874e+0F;
  t = Fma(t, x2, 0.3996108174e+0F);
  t = Fma(t, x2, 0.6666694880e+0F);
  s = Add(s, Scale(x, 2.0F));
  s = Add(s, x2 * x.x * t);
  float r = s.x + s.y;
  r = d > 1e+38F ? kInfinity<float> : r;
  r = NanIf(-1.0F > d, r);
  r = d == -1.0F ? -kInfinity<float> : r;
  r = IsNegativeZero(d) ? -0.0F : r;
  return r;
}

float erf(float a) {
  float t, u;
  float s = a;
  Two<float> d;
  a = std::fabs(a);
  bool o0 = a < 1.1F;
  bool o1 = a < 2.4F;
  bool o2 = a < 4.0F;
  u = o0 ? a * a : a;
  t = Choose(o0, o1, 0.7089292194e-4F, -0.1792667899e-4F, -0.9495757695e-5F);
  t = Fma(t, u, Choose(o0, o1, -0.7768311189e-3F, 0.3937633010e-3F, 0.2481465926e-3F));
  t = Fma(t, u, Choose(o0, o1, 0.5159463733e-2F, -0.3949181177e-2F, -0.2918176819e-2F));
  t = Fma(t, u, Choose(o0, o1, -0.2683781274e-1F, 0.2445474640e-1F, 0.2059706673e-1F));
  t = Fma(t, u, Choose(o0, o1, 0.1128318012e+0F, -0.1070996150e+0F, -0.9901899844e-1F));
  d = Multiply(t, u);
  d = AddAny(d, Choose(o0, o1, Split(-0.376125876000657465175213237214e+0),
                       Split(-0.634588905908410389971210809210e+0),
                       Split(-0.643598050547891613081201721633e+0)));
  d = Multiply(d, u);
  d = AddAny(d, Choose(o0, o1, Split(0.112837916021059138255978217023e+1),
                       Split(-0.112879855826694507209862753992e+1),
                       Split(-0.112461487742845562801052956293e+1)));
  d = Multiply(d, a);
  d = o0 ? d : Add(1.0F, Negate(TwoExpOfTwo(d)));
  u = TimesSign(o2 ? d.x + d.y : 1.0F, s);
  u = std::isnan(a) ? kNan<float> : u;
  return u;
}

}  // namespace onnxcmp::vec::fused
