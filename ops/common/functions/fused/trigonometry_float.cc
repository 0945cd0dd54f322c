// Trigonometric functions of floats, as SLEEF 3.5.1 computes them with fused multiply-adds (Boost
// Software License, LICENSE.txt): the same bits as its functions for AVX2, wherever Fma() is right.
// The comments of its source say how the polynomials were found.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

#include "ops/common/functions/fused/functions.h"
#include "ops/common/functions/fused/two.h"

namespace onnxcmp::vec::fused {
namespace {

// 1 / (2 pi) in four parts, for each exponent of an argument without the whole turns.
constexpr float kOverTwoPi[] = {
#include "ops/common/functions/fused/over_two_pi_float.inc"
};
constexpr int32_t kLastExponent = std::size(kOverTwoPi) / 4 - 1;

Reduced<float> SplitQuarters(float x) {
  float y = std::rint(x * 4.0F);
  int32_t vi = ToInteger(std::trunc(y - std::rint(x) * 4.0F));
  return {x - y * 0.25F, vi};
}

Reduced<Two<float>> ReduceByPi(float a) {
  Two<float> x, y;
  int32_t ex = ExponentOfNormal(a);
  ex = ex - 25;
  int32_t q = ex > 90 - 25 ? -64 : 0;
  a = AddToExponent(a, q);
  ex = ex & ~(ex >> 31);
  ex = std::min(ex, kLastExponent) << 2;  // infinity and NaN are beyond it
  x = Multiply(a, kOverTwoPi[ex]);
  Reduced<float> di = SplitQuarters(x.x);
  q = di.quarter;
  x.x = di.rest;
  x = Normalize(x);
  y = Multiply(a, kOverTwoPi[ex + 1]);
  x = AddAny(x, y);
  di = SplitQuarters(x.x);
  q = q + di.quarter;
  x.x = di.rest;
  x = Normalize(x);
  y = Two<float>{kOverTwoPi[ex + 2], kOverTwoPi[ex + 3]};
  y = Multiply(y, a);
  x = AddAny(x, y);
  x = Normalize(x);
  x = Multiply(x, Two<float>{3.1415927410125732422F * 2.0F, -8.7422776573475857731e-08F * 2.0F});
  x = std::fabs(a) < 0.7F ? Two<float>{a, 0.0F} : x;
  return {x, q};
}

Two<float> TwoAtan2(Two<float> y, Two<float> x) {
  float u;
  Two<float> s, t;
  int32_t q;
  bool p;
  q = x.x < 0.0F ? -2 : 0;
  p = x.x < 0.0F;
  x.x = NegateIf(p, x.x);
  x.y = NegateIf(p, x.y);
  q = x.x < y.x ? q + 1 : q;
  p = x.x < y.x;
  s = p ? Negate(x) : y;
  t = p ? y : x;
  s = Divide(s, t);
  t = Square(s);
  t = Normalize(t);
  u = -0.00176397908944636583328247F;
  u = Fma(u, t.x, 0.0107900900766253471374512F);
  u = Fma(u, t.x, -0.0309564601629972457885742F);
  u = Fma(u, t.x, 0.0577365085482597351074219F);
  u = Fma(u, t.x, -0.0838950723409652709960938F);
  u = Fma(u, t.x, 0.109463557600975036621094F);
  u = Fma(u, t.x, -0.142626821994781494140625F);
  u = Fma(u, t.x, 0.199983194470405578613281F);
  t = Multiply(t, Add(-0.333332866430282592773438F, u * t.x));
  t = Multiply(s, Add(1.0F, t));
  t = Add(Multiply(Two<float>{1.5707963705062866211F, -4.3711388286737928865e-08F},
                   static_cast<float>(q)),
          t);
  return t;
}

}  // namespace

float sin(float d) {
  int32_t q;
  float u, v;
  Two<float> s, t, x;
  if (std::fabs(d) < 125.0F) {
    u = std::rint(d * 0.31830988618379067154F);
    q = ToInteger(std::rint(u));
    v = Fma(u, -3.1414794921875F, d);
    s = AddAny(v, u * -0.00011315941810607910156F);
    s = Add(s, u * -1.9841872589410058936e-09F);
  } else {
    Reduced<Two<float>> dfi = ReduceByPi(d);
    q = dfi.quarter & 3;
    q = q + q + (dfi.rest.x > 0.0F ? 2 : 1);
    q = q >> 2;
    bool o = (dfi.quarter & 1) == 1;
    Two<float> x = Two<float>{TimesSign(3.1415927410125732422F * -0.5F, dfi.rest.x),
                              TimesSign(-8.7422776573475857731e-08F * -0.5F, dfi.rest.x)};
    x = AddAny(dfi.rest, x);
    dfi.rest = o ? x : dfi.rest;
    s = Normalize(dfi.rest);
    s.x = NanIf(std::isinf(d) || std::isnan(d), s.x);
  }
  t = s;
  s = Square(s);
  u = 2.6083159809786593541503e-06F;
  u = Fma(u, s.x, -0.0001981069071916863322258F);
  u = Fma(u, s.x, 0.00833307858556509017944336F);
  x = Add(1.0F, Multiply(Add(-0.166666597127914428710938F, u * s.x), s));
  u = MultiplyToOne(t, x);
  u = NegateIf((q & 1) == 1, u);
  u = IsNegativeZero(d) ? d : u;
  return u;
}

float cos(float d) {
  int32_t q;
  float u;
  Two<float> s, t, x;
  if (std::fabs(d) < 125.0F) {
    float dq = Fma(std::rint(Fma(d, 0.31830988618379067154F, -0.5F)), 2.0F, 1.0F);
    q = ToInteger(std::rint(dq));
    s = AddAny(d, dq * (-3.1414794921875F * 0.5F));
    s = AddAny(s, dq * (-0.00011315941810607910156F * 0.5F));
    s = AddAny(s, dq * (-1.9841872589410058936e-09F * 0.5F));
  } else {
    Reduced<Two<float>> dfi = ReduceByPi(d);
    q = dfi.quarter & 3;
    q = q + q + (dfi.rest.x > 0.0F ? 8 : 7);
    q = q >> 1;
    bool o = (dfi.quarter & 1) == 0;
    float y = dfi.rest.x > 0.0F ? 0.0F : -1.0F;
    Two<float> x = Two<float>{TimesSign(3.1415927410125732422F * -0.5F, y),
                              TimesSign(-8.7422776573475857731e-08F * -0.5F, y)};
    x = AddAny(dfi.rest, x);
    dfi.rest = o ? x : dfi.rest;
    s = Normalize(dfi.rest);
    s.x = NanIf(std::isinf(d) || std::isnan(d), s.x);
  }
  t = s;
  s = Square(s);
  u = 2.6083159809786593541503e-06F;
  u = Fma(u, s.x, -0.0001981069071916863322258F);
  u = Fma(u, s.x, 0.00833307858556509017944336F);
  x = Add(1.0F, Multiply(Add(-0.166666597127914428710938F, u * s.x), s));
  u = MultiplyToOne(t, x);
  u = NegateIf((q & 2) == 0, u);
  return u;
}

float tan(float d) {
  int32_t q;
  float u, v;
  Two<float> s, t, x;
  bool o;
  if (std::fabs(d) < 125.0F) {
    u = std::rint(d * static_cast<float>(2 * 0.31830988618379067154));
    q = ToInteger(std::rint(u));
    v = Fma(u, -3.1414794921875F * 0.5F, d);
    s = AddAny(v, u * (-0.00011315941810607910156F * 0.5F));
    s = Add(s, u * (-1.9841872589410058936e-09F * 0.5F));
  } else {
    Reduced<Two<float>> dfi = ReduceByPi(d);
    q = dfi.quarter;
    s = dfi.rest;
    o = std::isinf(d) || std::isnan(d);
    s.x = NanIf(o, s.x);
    s.y = NanIf(o, s.y);
  }
  o = (q & 1) == 1;
  s.x = NegateIf(o, s.x);
  s.y = NegateIf(o, s.y);
  t = s;
  s = Square(s);
  s = Normalize(s);
  u = 0.00446636462584137916564941F;
  u = Fma(u, s.x, -8.3920182078145444393158e-05F);
  u = Fma(u, s.x, 0.0109639242291450500488281F);
  u = Fma(u, s.x, 0.0212360303848981857299805F);
  u = Fma(u, s.x, 0.0540687143802642822265625F);
  x = Add(0.133325666189193725585938F, u * s.x);
  x = Add(1.0F, Multiply(Add(0.33333361148834228515625F, Multiply(s, x)), s));
  x = Multiply(t, x);
  x = o ? Reciprocal(x) : x;
  u = x.x + x.y;
  u = IsNegativeZero(d) ? d : u;
  return u;
}

float asin(float d) {
  bool o = std::fabs(d) < 0.5F;
  float u;
  float x2 = o ? d * d : (1.0F - std::fabs(d)) * 0.5F;
  Two<float> x = o ? Two<float>{std::fabs(d), 0.0F} : Root(x2);
  x = std::fabs(d) == 1.0F ? Two<float>{0.0F, 0.0F} : x;
  u = 0.4197454825e-1F;
  u = Fma(u, x2, 0.2424046025e-1F);
  u = Fma(u, x2, 0.4547423869e-1F);
  u = Fma(u, x2, 0.7495029271e-1F);
  u = Fma(u, x2, 0.1666677296e+0F);
  u = u * (x2 * x.x);
  Two<float> y = Subtract(Subtract(Two<float>{static_cast<float>(3.1415927410125732422F / 4),
                                              static_cast<float>(-8.7422776573475857731e-08F / 4)},
                                   x),
                          u);
  float r = o ? u + x.x : (y.x + y.y) * 2.0F;
  return TimesSign(r, d);
}

float acos(float d) {
  bool o = std::fabs(d) < 0.5F;
  float u;
  float x2 = o ? d * d : (1.0F - std::fabs(d)) * 0.5F;
  Two<float> x = o ? Two<float>{std::fabs(d), 0.0F} : Root(x2);
  x = std::fabs(d) == 1.0F ? Two<float>{0.0F, 0.0F} : x;
  u = 0.4197454825e-1F;
  u = Fma(u, x2, 0.2424046025e-1F);
  u = Fma(u, x2, 0.4547423869e-1F);
  u = Fma(u, x2, 0.7495029271e-1F);
  u = Fma(u, x2, 0.1666677296e+0F);
  u = u * (x2 * x.x);
  Two<float> y = Subtract(Two<float>{static_cast<float>(3.1415927410125732422F / 2),
                                     static_cast<float>(-8.7422776573475857731e-08F / 2)},
                          Add(TimesSign(x.x, d), TimesSign(u, d)));
  x = Add(x, u);
  y = o ? y : Scale(x, 2.0F);
  y = !o && d < 0.0F ? Subtract(Two<float>{3.1415927410125732422F, -8.7422776573475857731e-08F}, y)
                     : y;
  return y.x + y.y;
}

float atan(float d) {
  Two<float> d2 = TwoAtan2(Two<float>{std::fabs(d), 0.0F}, Two<float>{1.0F, 0.0F});
  float r = d2.x + d2.y;
  r = std::isinf(d) ? 1.570796326794896557998982F : r;
  return TimesSign(r, d);
}

}  // namespace onnxcmp::vec::fused
