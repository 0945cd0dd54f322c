// Exponential functions and logarithms of doubles, as SLEEF 3.5.1 computes them with fused
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

Two<double> TwoLog(double d) {
  Two<double> x, x2, s;
  double t, m;
  bool o = d < std::numeric_limits<double>::min();
  d = o ? d * 0x1p64 : d;
  int32_t e = ExponentOfNormal(d * (1.0 / 0.75));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  x = Divide(AddAny(-1.0, m), AddAny(1.0, m));
  x2 = Square(x);
  double x4 = x2.x * x2.x;
  double x8 = x4 * x4;
  double x16 = x8 * x8;
  t = Fma(x16, 0.116255524079935043668677,
          Fma(x8,
              Fma(x4, Fma(x2.x, 0.103239680901072952701192, 0.117754809412463995466069),
                  Fma(x2.x, 0.13332981086846273921509, 0.153846227114512262845736)),
              Fma(x4, Fma(x2.x, 0.181818180850050775676507, 0.222222222230083560345903),
                  Fma(x2.x, 0.285714285714249172087875, 0.400000000000000077715612))));
  Two<double> c = Two<double>{0.666666666666666629659233, 3.80554962542412056336616e-17};
  s = Multiply(Two<double>{0.693147180559945286226764, 2.319046813846299558417771e-17},
               static_cast<double>(e));
  s = Add(s, Scale(x, 2.0));
  x = Multiply(x2, x);
  s = Add(s, Multiply(x, c));
  x = Multiply(x2, x);
  s = Add(s, Multiply(x, t));
  return s;
}

double ExpOfTwo(Two<double> d) {
  double u = (d.x + d.y) * 1.442695040888963407359924681001892137426645954152985934135449406931;
  double dq = std::rint(u);
  int32_t q = ToInteger(std::rint(dq));
  Two<double> s, t;
  s = AddAny(d, dq * -0.69314718055966295651160180568695068359375);
  s = AddAny(s, dq * -0.28235290563031577122588448175013436025525412068e-12);
  s = Normalize(s);
  double s2 = s.x * s.x;
  double s4 = s2 * s2;
  double s8 = s4 * s4;
  u = Fma(s8, Fma(s.x, 2.51069683420950419527139e-08, 2.76286166770270649116855e-07),
          Fma(s4,
              Fma(s2, Fma(s.x, 2.75572496725023574143864e-06, 2.48014973989819794114153e-05),
                  Fma(s.x, 0.000198412698809069797676111, 0.0013888888939977128960529)),
              Fma(s2, Fma(s.x, 0.00833333333332371417601081, 0.0416666666665409524128449),
                  Fma(s.x, 0.166666666666666740681535, 0.500000000000000999200722))));
  t = Add(1.0, s);
  t = Add(t, Multiply(Square(s), u));
  u = t.x + t.y;
  u = TimesPowerOfTwo(u, q);
  u = ZeroIf(d.x < -1000.0, u);
  return u;
}

Two<double> TwoExpOfTwo(Two<double> d) {
  double u = (d.x + d.y) * 1.442695040888963407359924681001892137426645954152985934135449406931;
  double dq = std::rint(u);
  int32_t q = ToInteger(std::rint(dq));
  Two<double> s, t;
  s = AddAny(d, dq * -0.69314718055966295651160180568695068359375);
  s = AddAny(s, dq * -0.28235290563031577122588448175013436025525412068e-12);
  Two<double> s2 = Square(s);
  Two<double> s4 = Square(s2);
  double s8 = s4.x * s4.x;
  u = Fma(s8, Fma(s.x, 0.1602472219709932072e-9, 0.2092255183563157007e-8),
          Fma(s4.x,
              Fma(s2.x, Fma(s.x, 0.2505230023782644465e-7, 0.2755724800902135303e-6),
                  Fma(s.x, 0.2755731892386044373e-5, 0.2480158735605815065e-4)),
              Fma(s2.x, Fma(s.x, 0.1984126984148071858e-3, 0.1388888888886763255e-2),
                  Fma(s.x, 0.8333333333333347095e-2, 0.4166666666666669905e-1))));
  t = Add(0.5, Multiply(s, 0.1666666666666666574e+0));
  t = Add(1.0, Multiply(t, s));
  t = Add(1.0, Multiply(t, s));
  t = Add(t, Multiply(s4, u));
  t.x = TimesPowerOfTwo(t.x, q);
  t.y = TimesPowerOfTwo(t.y, q);
  t.x = ZeroIf(d.x < -1000.0, t.x);
  t.y = ZeroIf(d.x < -1000.0, t.y);
  return t;
}

Two<double> TwoLogOfTwo(Two<double> d) {
  Two<double> x, x2, m, s;
  double t;
  int32_t e;
  e = ExponentOf(d.x * (1.0 / 0.75));
  m = Two<double>{TimesPowerOfTwo(d.x, -e), TimesPowerOfTwo(d.y, -e)};
  x = Divide(AddAny(m, -1.0), AddAny(m, 1.0));
  x2 = Square(x);
  double x4 = x2.x * x2.x;
  double x8 = x4 * x4;
  t = Fma(x8,
          Fma(x4, 0.13860436390467167910856,
              Fma(x2.x, 0.131699838841615374240845, 0.153914168346271945653214)),
          Fma(x4, Fma(x2.x, 0.181816523941564611721589, 0.22222224632662035403996),
              Fma(x2.x, 0.285714285511134091777308, 0.400000000000914013309483)));
  t = Fma(t, x2.x, 0.666666666666664853302393);
  s = Multiply(Two<double>{0.693147180559945286226764, 2.319046813846299558417771e-17},
               static_cast<double>(e));
  s = Add(s, Scale(x, 2.0));
  s = Add(s, Multiply(Multiply(x2, x), t));
  return s;
}

}  // namespace

double exp(double d) {
  double s;
  double u = std::rint(d * 1.442695040888963407359924681001892137426645954152985934135449406931);
  int32_t q = ToInteger(std::rint(u));
  s = Fma(u, -0.69314718055966295651160180568695068359375, d);
  s = Fma(u, -0.28235290563031577122588448175013436025525412068e-12, s);
  double s2 = s * s;
  double s4 = s2 * s2;
  double s8 = s4 * s4;
  u = Fma(s8, Fma(s, 0.2081276378237164457e-8, 0.2511210703042288022e-7),
          Fma(s4,
              Fma(s2, Fma(s, 0.2755762628169491192e-6, 0.2755723402025388239e-5),
                  Fma(s, 0.2480158687479686264e-4, 0.1984126989855865850e-3)),
              Fma(s2, Fma(s, 0.1388888888914497797e-2, 0.8333333333314938210e-2),
                  Fma(s, 0.4166666666666602598e-1, 0.1666666666666669072e+0))));
  u = Fma(u, s, 0.5000000000000000000e+0);
  u = Fma(u, s, 0.1000000000000000000e+1);
  u = Fma(u, s, 0.1000000000000000000e+1);
  u = TimesPowerOfTwo(u, q);
  u = d > 709.78271114955742909217217426 ? kInfinity<double> : u;
  u = ZeroIf(d < -1000.0, u);
  return u;
}

double log(double d) {
  Two<double> x;
  double t, m, x2;
  bool o = d < std::numeric_limits<double>::min();
  d = o ? d * 0x1p64 : d;
  int32_t e = ExponentOfNormal(d * (1.0 / 0.75));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  x = Divide(AddAny(-1.0, m), AddAny(1.0, m));
  x2 = x.x * x.x;
  double x4 = x2 * x2;
  double x8 = x4 * x4;
  t = Fma(x8,
          Fma(x4, 0.1532076988502701353e+0,
              Fma(x2, 0.1525629051003428716e+0, 0.1818605932937785996e+0)),
          Fma(x4, Fma(x2, 0.2222214519839380009e+0, 0.2857142932794299317e+0),
              Fma(x2, 0.3999999999635251990e+0, 0.6666666666667333541e+0)));
  Two<double> s = Multiply(Two<double>{0.693147180559945286226764, 2.319046813846299558417771e-17},
                           static_cast<double>(e));
  s = Add(s, Scale(x, 2.0));
  s = Add(s, x2 * x.x * t);
  double r = s.x + s.y;
  r = d == kInfinity<double> ? kInfinity<double> : r;
  r = d < 0.0 || std::isnan(d) ? kNan<double> : r;
  r = d == 0.0 ? -kInfinity<double> : r;
  return r;
}

double pow(double x, double y) {
  bool yisint = IsWhole(y);
  bool yisodd = IsOdd(y) && yisint;
  Two<double> d = Multiply(TwoLog(std::fabs(x)), y);
  double result = ExpOfTwo(d);
  result = d.x > 709.78271114955742909217217426 ? kInfinity<double> : result;
  result = result * (x > 0.0 ? 1.0 : yisint ? (yisodd ? -1.0 : 1.0) : kNan<double>);
  double efx = TimesSign(std::fabs(x) - 1.0, y);
  result = std::isinf(y) ? ZeroIf(efx < 0.0, efx == 0.0 ? 1.0 : kInfinity<double>) : result;
  result = std::isinf(x) || x == 0.0 ? (yisodd ? std::copysign(1.0, x) : 1.0) *
                                           ZeroIf((x == 0.0 ? -y : y) < 0.0, kInfinity<double>)
                                     : result;
  result = NanIf(std::isnan(x) || std::isnan(y), result);
  result = y == 0.0 || x == 1.0 ? 1.0 : result;
  return result;
}

double sinh(double x) {
  double y = std::fabs(x);
  Two<double> d = TwoExpOfTwo(Two<double>{y, 0.0});
  d = Subtract(d, Reciprocal(d));
  y = (d.x + d.y) * 0.5;
  y = std::fabs(x) > 710.0 || std::isnan(y) ? kInfinity<double> : y;
  y = TimesSign(y, x);
  y = NanIf(std::isnan(x), y);
  return y;
}

double cosh(double x) {
  double y = std::fabs(x);
  Two<double> d = TwoExpOfTwo(Two<double>{y, 0.0});
  d = Add(d, Reciprocal(d));
  y = (d.x + d.y) * 0.5;
  y = std::fabs(x) > 710.0 || std::isnan(y) ? kInfinity<double> : y;
  y = NanIf(std::isnan(x), y);
  return y;
}

double tanh(double x) {
  double y = std::fabs(x);
  Two<double> d = TwoExpOfTwo(Two<double>{y, 0.0});
  Two<double> e = Reciprocal(d);
  d = Divide(AddAny(d, Negate(e)), AddAny(d, e));
  y = d.x + d.y;
  y = std::fabs(x) > 18.714973875 || std::isnan(y) ? 1.0 : y;
  y = TimesSign(y, x);
  y = NanIf(std::isnan(x), y);
  return y;
}

double asinh(double x) {
  double y = std::fabs(x);
  bool o = y > 1.0;
  Two<double> d;
  d = o ? Reciprocal(x) : Two<double>{y, 0.0};
  d = Root(AddAny(Square(d), 1.0));
  d = o ? Multiply(d, y) : d;
  d = TwoLogOfTwo(Normalize(AddAny(d, x)));
  y = d.x + d.y;
  y = std::fabs(x) > 1.3407807929942596355e+154 || std::isnan(y) ? TimesSign(kInfinity<double>, x)
                                                                 : y;
  y = NanIf(std::isnan(x), y);
  y = IsNegativeZero(x) ? -0.0 : y;
  return y;
}

double acosh(double x) {
  Two<double> d = TwoLogOfTwo(AddAny(Multiply(Root(AddAny(x, 1.0)), Root(AddAny(x, -1.0))), x));
  double y = d.x + d.y;
  y = std::fabs(x) > 1.3407807929942596355e+154 || std::isnan(y) ? kInfinity<double> : y;
  y = ZeroIf(x == 1.0, y);
  y = NanIf(x < 1.0, y);
  y = NanIf(std::isnan(x), y);
  return y;
}

double atanh(double x) {
  double y = std::fabs(x);
  Two<double> d = TwoLogOfTwo(Divide(AddAny(1.0, y), AddAny(1.0, -y)));
  y = NanIf(y > 1.0, y == 1.0 ? kInfinity<double> : (d.x + d.y) * 0.5);
  y = TimesSign(y, x);
  y = NanIf(std::isinf(x) || std::isnan(y), y);
  y = NanIf(std::isnan(x), y);
  return y;
}

double expm1(double a) {
  Two<double> d = AddAny(TwoExpOfTwo(Two<double>{a, 0.0}), -1.0);
  double x = d.x + d.y;
  x = a > 709.782712893383996732223 ? kInfinity<double> : x;
  x = a < -36.736800569677101399113302437 ? -1.0 : x;
  x = IsNegativeZero(a) ? -0.0 : x;
  return x;
}

double log2(double d) {
  Two<double> x;
  double t, m, x2;
  bool o = d < std::numeric_limits<double>::min();
  d = o ? d * 0x1p64 : d;
  int32_t e = ExponentOfNormal(d * (1.0 / 0.75));
  m = AddToExponent(d, -e);
  e = o ? e - 64 : e;
  x = Divide(AddAny(-1.0, m), AddAny(1.0, m));
  x2 = x.x * x.x;
  double x4 = x2 * x2;
  double x8 = x4 * x4;
  t = Fma(x8,
          Fma(x4, 0.2211941750456081490e+0,
              Fma(x2, 0.2200768693152277689e+0, 0.2623708057488514656e+0)),
          Fma(x4, Fma(x2, 0.3205977477944495502e+0, 0.4121985945485324709e+0),
              Fma(x2, 0.5770780162997058982e+0, 0.96179669392608091449)));
  Two<double> s = AddAny(static_cast<double>(e),
                         Multiply(x, Two<double>{2.885390081777926774, 6.0561604995516736434e-18}));
  s = AddAny(s, x2 * x.x * t);
  double r = s.x + s.y;
  r = d == kInfinity<double> ? kInfinity<double> : r;
  r = d < 0.0 || std::isnan(d) ? kNan<double> : r;
  r = d == 0.0 ? -kInfinity<double> : r;
  return r;
}

double log1p(double d) {
  Two<double> x;
  double t, m, x2;
  double dp1 = d + 1.0;
  bool o = dp1 < std::numeric_limits<double>::min();
  dp1 = o ? dp1 * 0x1p64 : dp1;
  int32_t e = ExponentOfNormal(dp1 * (1.0 / 0.75));
  t = AddToExponent(1.0, -e);
  m = Fma(d, t, t - 1.0);
  e = o ? e - 64 : e;
  Two<double> s = Multiply(Two<double>{0.693147180559945286226764, 2.319046813846299558417771e-17},
                           static_cast<double>(e));
  x = Divide(Two<double>{m, 0.0}, Add(2.0, m));
  x2 = x.x * x.x;
  double x4 = x2 * x2;
  double x8 = x4 * x4;
  t = Fma(x8,
          Fma(x4, 0.1532076988502701353e+0,
              Fma(x2, 0.1525629051003428716e+0, 0.1818605932937785996e+0)),
          Fma(x4, Fma(x2, 0.2222214519839380009e+0, 0.2857142932794299317e+0),
              Fma(x2, 0.3999999999635251990e+0, 0.6666666666667333541e+0)));
  s = Add(s, Scale(x, 2.0));
  s = Add(s, x2 * x.x * t);
  double r = s.x + s.y;
  r = d > 1e+307 ? kInfinity<double> : r;
  r = d < -1.0 || std::isnan(d) ? kNan<double> : r;
  r = d == -1.0 ? -kInfinity<double> : r;
  r = IsNegativeZero(d) ? -0.0 : r;
  return r;
}

double erf(double a) {
  double t, u;
  double s = a;
  Two<double> d;
  a = std::fabs(a);
  bool o0 = a < 1.0;
  bool o1 = a < 3.7;
  bool o2 = a < 6.0;
  u = o0 ? a * a : a;
  t = Choose(o0, o1, 0.6801072401395392157e-20, 0.2830954522087717660e-13,
             -0.5846750404269610493e-17);
  t = Fma(t, u,
          Choose(o0, o1, -0.2161766247570056391e-18, -0.1509491946179481940e-11,
                 0.6076691048812607898e-15));
  t = Fma(t, u,
          Choose(o0, o1, 0.4695919173301598752e-17, 0.3827857177807173152e-10,
                 -0.3007518609604893831e-13));
  t = Fma(t, u,
          Choose(o0, o1, -0.9049140419888010819e-16, -0.6139733921558987241e-09,
                 0.9427906260824646063e-12));
  t = Fma(t, u,
          Choose(o0, o1, 0.1634018903557411517e-14, 0.6985387934608038824e-08,
                 -0.2100110908269393629e-10));
  t = Fma(t, u,
          Choose(o0, o1, -0.2783485786333455216e-13, -0.5988224513034371474e-07,
                 0.3534639523461223473e-09));
  t = Fma(t, u,
          Choose(o0, o1, 0.4463221276786412722e-12, 0.4005716952355346640e-06,
                 -0.4664967728285395926e-08));
  t = Fma(t, u,
          Choose(o0, o1, -0.6711366622850138987e-11, -0.2132190104575784400e-05,
                 0.4943823283769000532e-07));
  t = Fma(t, u,
          Choose(o0, o1, 0.9422759050232658346e-10, 0.9092461304042630325e-05,
                 -0.4271203394761148254e-06));
  t = Fma(t, u,
          Choose(o0, o1, -0.1229055530100228477e-08, -0.3079188080966205457e-04,
                 0.3034067677404915895e-05));
  t = Fma(t, u,
          Choose(o0, o1, 0.1480719281585085023e-07, 0.7971413443082370762e-04,
                 -0.1776295289066871135e-04));
  t = Fma(t, u,
          Choose(o0, o1, -0.1636584469123402714e-06, -0.1387853215225442864e-03,
                 0.8524547630559505050e-04));
  t = Fma(t, u,
          Choose(o0, o1, 0.1646211436588923363e-05, 0.6469678026257590965e-04,
                 -0.3290582944961784398e-03));
  t = Fma(t, u,
          Choose(o0, o1, -0.1492565035840624866e-04, 0.4996645280372945860e-03,
                 0.9696966068789101157e-03));
  t = Fma(t, u,
          Choose(o0, o1, 0.1205533298178966496e-03, -0.1622802482842520535e-02,
                 -0.1812527628046986137e-02));
  t = Fma(t, u,
          Choose(o0, o1, -0.8548327023450851166e-03, 0.1615320557049377171e-03,
                 -0.4725409828123619017e-03));
  t = Fma(t, u,
          Choose(o0, o1, 0.5223977625442188799e-02, 0.1915262325574875607e-01,
                 0.2090315427924229266e-01));
  t = Fma(t, u,
          Choose(o0, o1, -0.2686617064513125569e-01, -0.1027818298486033455e+00,
                 -0.1052041921842776645e+00));
  t = Fma(t, u,
          Choose(o0, o1, 0.1128379167095512753e+00, -0.6366172819842503827e+00,
                 -0.6345351808766568347e+00));
  t = Fma(t, u,
          Choose(o0, o1, -0.3761263890318375380e+00, -0.1128379590648910469e+01,
                 -0.1129442929103524396e+01));
  d = Multiply(t, u);
  d = AddAny(d, Two<double>{Choose(o0, o1, 1.1283791670955125586, 3.4110644736196137587e-08,
                                   0.00024963035690526438285),
                            Choose(o0, o1, 1.5335459613165822674e-17, -2.4875650708323294246e-24,
                                   -5.4362665034856259795e-21)});
  d = o0 ? Multiply(d, a) : Add(1.0, Negate(TwoExpOfTwo(d)));
  u = TimesSign(o2 ? d.x + d.y : 1.0, s);
  u = std::isnan(a) ? kNan<double> : u;
  return u;
}

}  // namespace onnxcmp::vec::fused
