// Trigonometric functions of doubles, as SLEEF 3.5.1 computes them with fused multiply-adds (Boost
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
constexpr double kOverTwoPi[] = {
#include "ops/common/functions/fused/over_two_pi_double.inc"
};
constexpr int32_t kLastExponent = std::size(kOverTwoPi) / 4 - 1;

Reduced<double> SplitQuarters(double x) {
  double y = std::rint(x * 4.0);
  int32_t vi = ToInteger(std::trunc(y - std::rint(x) * 4.0));
  return {x - y * 0.25, vi};
}

Reduced<Two<double>> ReduceByPi(double a) {
  Two<double> x, y;
  int32_t ex = ExponentOfNormal(a);
  ex = ex - 55;
  int32_t q = ex > 700 - 55 ? -64 : 0;
  a = AddToExponent(a, q);
  ex = ex & ~(ex >> 31);
  ex = std::min(ex, kLastExponent) << 2;  // infinity and NaN are beyond it
  x = Multiply(a, kOverTwoPi[ex]);
  Reduced<double> di = SplitQuarters(x.x);
  q = di.quarter;
  x.x = di.rest;
  x = Normalize(x);
  y = Multiply(a, kOverTwoPi[ex + 1]);
  x = AddAny(x, y);
  di = SplitQuarters(x.x);
  q = q + di.quarter;
  x.x = di.rest;
  x = Normalize(x);
  y = Two<double>{kOverTwoPi[ex + 2], kOverTwoPi[ex + 3]};
  y = Multiply(y, a);
  x = AddAny(x, y);
  x = Normalize(x);
  x = Multiply(x, Two<double>{3.141592653589793116 * 2, 1.2246467991473532072e-16 * 2});
  bool o = std::fabs(a) < 0.7;
  x.x = o ? a : x.x;
  x.y = ZeroIf(o, x.y);
  return {x, q};
}

Two<double> TwoAtan2(Two<double> y, Two<double> x) {
  double u;
  Two<double> s, t;
  int32_t q;
  bool p;
  q = std::signbit(x.x) ? -2 : 0;
  p = x.x < 0.0;
  x.x = NegateIf(p, x.x);
  x.y = NegateIf(p, x.y);
  q = x.x < y.x ? q + 1 : q;
  p = x.x < y.x;
  s = p ? Negate(x) : y;
  t = p ? y : x;
  s = Divide(s, t);
  t = Square(s);
  t = Normalize(t);
  double t2 = t.x * t.x;
  double t4 = t2 * t2;
  double t8 = t4 * t4;
  u = Fma(t8,
          Fma(t4,
              Fma(t2, Fma(t.x, 1.06298484191448746607415e-05, -0.000125620649967286867384336),
                  Fma(t.x, 0.00070557664296393412389774, -0.00251865614498713360352999)),
              Fma(t2, Fma(t.x, 0.00646262899036991172313504, -0.0128281333663399031014274),
                  Fma(t.x, 0.0208024799924145797902497, -0.0289002344784740315686289))),
          Fma(t4,
              Fma(t2, Fma(t.x, 0.0359785005035104590853656, -0.041848579703592507506027),
                  Fma(t.x, 0.0470843011653283988193763, -0.0524914210588448421068719)),
              Fma(t2, Fma(t.x, 0.0587946590969581003860434, -0.0666620884778795497194182),
                  Fma(t.x, 0.0769225330296203768654095, -0.0909090442773387574781907))));
  u = Fma(u, t.x, 0.111111108376896236538123);
  u = Fma(u, t.x, -0.142857142756268568062339);
  u = Fma(u, t.x, 0.199999999997977351284817);
  u = Fma(u, t.x, -0.333333333333317605173818);
  t = Add(s, Multiply(Multiply(s, t), u));
  t = Add(Multiply(Two<double>{1.570796326794896557998982, 6.12323399573676603586882e-17},
                   static_cast<double>(q)),
          t);
  return t;
}

}  // namespace

double sin(double d) {
  double u;
  Two<double> s, t, x;
  int32_t ql;
  if (std::fabs(d) < 15.0) {
    const double dql = std::rint(d * 0.31830988618379067154);
    ql = ToInteger(std::rint(dql));
    u = Fma(dql, -3.141592653589793116, d);
    s = Add(u, dql * -1.2246467991473532072e-16);
  } else if (std::fabs(d) < 1e+14) {
    double dqh = std::trunc(d * (0.31830988618379067154 / (1 << 24)));
    dqh = dqh * static_cast<double>(1 << 24);
    const double dql = std::rint(Fma(d, 0.31830988618379067154, -dqh));
    ql = ToInteger(std::rint(dql));
    u = Fma(dqh, -3.1415926218032836914, d);
    s = Add(u, dql * -3.1415926218032836914);
    s = AddAny(s, dqh * -3.1786509424591713469e-08);
    s = AddAny(s, dql * -3.1786509424591713469e-08);
    s = AddAny(s, dqh * -1.2246467864107188502e-16);
    s = AddAny(s, dql * -1.2246467864107188502e-16);
    s = Add(s, (dqh + dql) * -1.2736634327021899816e-24);
  } else {
    Reduced<Two<double>> ddi = ReduceByPi(d);
    ql = ddi.quarter & 3;
    ql = ql + ql + (ddi.rest.x > 0.0 ? 2 : 1);
    ql = ql >> 2;
    bool o = (ddi.quarter & 1) == 1;
    Two<double> x = Two<double>{TimesSign(-3.141592653589793116 * 0.5, ddi.rest.x),
                                TimesSign(-1.2246467991473532072e-16 * 0.5, ddi.rest.x)};
    x = AddAny(ddi.rest, x);
    ddi.rest = o ? x : ddi.rest;
    s = Normalize(ddi.rest);
    s.x = NanIf(std::isinf(d) || std::isnan(d), s.x);
  }
  t = s;
  s = Square(s);
  double s2 = s.x * s.x;
  double s4 = s2 * s2;
  u = Fma(s4, Fma(s.x, 2.72052416138529567917983e-15, -7.6429259411395447190023e-13),
          Fma(s2, Fma(s.x, 1.60589370117277896211623e-10, -2.5052106814843123359368e-08),
              Fma(s.x, 2.75573192104428224777379e-06, -0.000198412698412046454654947)));
  u = Fma(u, s.x, 0.00833333333333318056201922);
  x = Add(1.0, Multiply(Add(-0.166666666666666657414808, u * s.x), s));
  u = MultiplyToOne(t, x);
  u = NegateIf((ql & 1) == 1, u);
  u = d == 0.0 ? d : u;
  return u;
}

double cos(double d) {
  double u;
  Two<double> s, t, x;
  int32_t ql;
  if (std::fabs(d) < 15.0) {
    double dql = std::rint(Fma(d, 0.31830988618379067154, -0.5));
    dql = Fma(2.0, dql, 1.0);
    ql = ToInteger(std::rint(dql));
    s = AddAny(d, dql * (-3.141592653589793116 * 0.5));
    s = Add(s, dql * (-1.2246467991473532072e-16 * 0.5));
  } else if (std::fabs(d) < 1e+14) {
    double dqh =
        std::trunc(Fma(d, 0.31830988618379067154 / (1 << 23), -0.31830988618379067154 / (1 << 24)));
    ql = ToInteger(std::rint(d * 0.31830988618379067154 + Fma(dqh, -(1 << 23), -0.5)));
    dqh = dqh * static_cast<double>(1 << 24);
    ql = ql + ql + 1;
    const double dql = static_cast<double>(ql);
    u = Fma(dqh, -3.1415926218032836914 * 0.5, d);
    s = AddAny(u, dql * (-3.1415926218032836914 * 0.5));
    s = AddAny(s, dqh * (-3.1786509424591713469e-08 * 0.5));
    s = AddAny(s, dql * (-3.1786509424591713469e-08 * 0.5));
    s = AddAny(s, dqh * (-1.2246467864107188502e-16 * 0.5));
    s = AddAny(s, dql * (-1.2246467864107188502e-16 * 0.5));
    s = Add(s, (dqh + dql) * (-1.2736634327021899816e-24 * 0.5));
  } else {
    Reduced<Two<double>> ddi = ReduceByPi(d);
    ql = ddi.quarter & 3;
    ql = ql + ql + (ddi.rest.x > 0.0 ? 8 : 7);
    ql = ql >> 1;
    bool o = (ddi.quarter & 1) == 0;
    double y = ddi.rest.x > 0.0 ? 0.0 : -1.0;
    Two<double> x = Two<double>{TimesSign(-3.141592653589793116 * 0.5, y),
                                TimesSign(-1.2246467991473532072e-16 * 0.5, y)};
    x = AddAny(ddi.rest, x);
    ddi.rest = o ? x : ddi.rest;
    s = Normalize(ddi.rest);
    s.x = NanIf(std::isinf(d) || std::isnan(d), s.x);
  }
  t = s;
  s = Square(s);
  double s2 = s.x * s.x;
  double s4 = s2 * s2;
  u = Fma(s4, Fma(s.x, 2.72052416138529567917983e-15, -7.6429259411395447190023e-13),
          Fma(s2, Fma(s.x, 1.60589370117277896211623e-10, -2.5052106814843123359368e-08),
              Fma(s.x, 2.75573192104428224777379e-06, -0.000198412698412046454654947)));
  u = Fma(u, s.x, 0.00833333333333318056201922);
  x = Add(1.0, Multiply(Add(-0.166666666666666657414808, u * s.x), s));
  u = MultiplyToOne(t, x);
  u = NegateIf((ql & 2) == 0, u);
  return u;
}

double tan(double d) {
  double u;
  Two<double> s, t, x, y;
  bool o;
  int32_t ql;
  if (std::fabs(d) < 15.0) {
    double dql = std::rint(d * (2 * 0.31830988618379067154));
    ql = ToInteger(std::rint(dql));
    u = Fma(dql, -3.141592653589793116 * 0.5, d);
    s = Add(u, dql * (-1.2246467991473532072e-16 * 0.5));
  } else if (std::fabs(d) < 1e+14) {
    double dqh = std::trunc(d * (2 * 0.31830988618379067154 / (1 << 24)));
    dqh = dqh * static_cast<double>(1 << 24);
    s = AddAny(Multiply(Two<double>{0.63661977236758138243, -3.9357353350364971764e-17}, d),
               (d < 0.0 ? -0.5 : 0.5) - dqh);
    const double dql = std::trunc(s.x + s.y);
    ql = ToInteger(std::rint(dql));
    u = Fma(dqh, -3.1415926218032836914 * 0.5, d);
    s = Add(u, dql * (-3.1415926218032836914 * 0.5));
    s = AddAny(s, dqh * (-3.1786509424591713469e-08 * 0.5));
    s = AddAny(s, dql * (-3.1786509424591713469e-08 * 0.5));
    s = AddAny(s, dqh * (-1.2246467864107188502e-16 * 0.5));
    s = AddAny(s, dql * (-1.2246467864107188502e-16 * 0.5));
    s = Add(s, (dqh + dql) * (-1.2736634327021899816e-24 * 0.5));
  } else {
    Reduced<Two<double>> ddi = ReduceByPi(d);
    ql = ddi.quarter;
    s = ddi.rest;
    o = std::isinf(d) || std::isnan(d);
    s.x = NanIf(o, s.x);
    s.y = NanIf(o, s.y);
  }
  t = Scale(s, 0.5);
  s = Square(t);
  double s2 = s.x * s.x;
  double s4 = s2 * s2;
  u = Fma(s4,
          Fma(s2, Fma(s.x, 0.3245098826639276316e-3, 0.5619219738114323735e-3),
              Fma(s.x, 0.1460781502402784494e-2, 0.3591611540792499519e-2)),
          Fma(s2, Fma(s.x, 0.8863268409563113126e-2, 0.2186948728185535498e-1),
              Fma(s.x, 0.5396825399517272970e-1, 0.1333333333330500581e+0)));
  u = Fma(u, s.x, 0.3333333333333343695e+0);
  x = Add(t, Multiply(Multiply(s, t), u));
  y = Add(-1.0, Square(x));
  x = Scale(x, -2.0);
  o = (ql & 1) == 1;
  x = Divide(o ? Negate(y) : x, o ? x : y);
  u = x.x + x.y;
  u = d == 0.0 ? d : u;
  return u;
}

double asin(double d) {
  bool o = std::fabs(d) < 0.5;
  double u;
  double x2 = o ? d * d : (1.0 - std::fabs(d)) * 0.5;
  Two<double> x = o ? Two<double>{std::fabs(d), 0.0} : Root(x2);
  x = std::fabs(d) == 1.0 ? Two<double>{0.0, 0.0} : x;
  double x4 = x2 * x2;
  double x8 = x4 * x4;
  double x16 = x8 * x8;
  u = Fma(x16,
          Fma(x4, Fma(x2, 0.3161587650653934628e-1, -0.1581918243329996643e-1),
              Fma(x2, 0.1929045477267910674e-1, 0.6606077476277170610e-2)),
          Fma(x8,
              Fma(x4, Fma(x2, 0.1215360525577377331e-1, 0.1388715184501609218e-1),
                  Fma(x2, 0.1735956991223614604e-1, 0.2237176181932048341e-1)),
              Fma(x4, Fma(x2, 0.3038195928038132237e-1, 0.4464285681377102438e-1),
                  Fma(x2, 0.7500000000378581611e-1, 0.1666666666666497543e+0))));
  u = u * (x2 * x.x);
  Two<double> y = Subtract(
      Subtract(Two<double>{3.141592653589793116 / 4, 1.2246467991473532072e-16 / 4}, x), u);
  double r = o ? u + x.x : (y.x + y.y) * 2.0;
  return TimesSign(r, d);
}

double acos(double d) {
  bool o = std::fabs(d) < 0.5;
  double u;
  double x2 = o ? d * d : (1.0 - std::fabs(d)) * 0.5;
  Two<double> x = o ? Two<double>{std::fabs(d), 0.0} : Root(x2);
  x = std::fabs(d) == 1.0 ? Two<double>{0.0, 0.0} : x;
  double x4 = x2 * x2;
  double x8 = x4 * x4;
  double x16 = x8 * x8;
  u = Fma(x16,
          Fma(x4, Fma(x2, 0.3161587650653934628e-1, -0.1581918243329996643e-1),
              Fma(x2, 0.1929045477267910674e-1, 0.6606077476277170610e-2)),
          Fma(x8,
              Fma(x4, Fma(x2, 0.1215360525577377331e-1, 0.1388715184501609218e-1),
                  Fma(x2, 0.1735956991223614604e-1, 0.2237176181932048341e-1)),
              Fma(x4, Fma(x2, 0.3038195928038132237e-1, 0.4464285681377102438e-1),
                  Fma(x2, 0.7500000000378581611e-1, 0.1666666666666497543e+0))));
  u = u * (x2 * x.x);
  Two<double> y = Subtract(Two<double>{3.141592653589793116 / 2, 1.2246467991473532072e-16 / 2},
                           Add(TimesSign(x.x, d), TimesSign(u, d)));
  x = Add(x, u);
  y = o ? y : Scale(x, 2.0);
  y = !o && d < 0.0 ? Subtract(Two<double>{3.141592653589793116, 1.2246467991473532072e-16}, y) : y;
  return y.x + y.y;
}

double atan(double d) {
  Two<double> d2 = TwoAtan2(Two<double>{std::fabs(d), 0.0}, Two<double>{1.0, 0.0});
  double r = d2.x + d2.y;
  r = std::isinf(d) ? 1.570796326794896557998982 : r;
  return TimesSign(r, d);
}

}  // namespace onnxcmp::vec::fused
