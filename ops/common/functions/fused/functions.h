// SLEEF's functions with fused multiply-adds, one number at a time, for processors that SLEEF has
// no such functions for: the bits are those of its functions for AVX2. Names as SLEEF has them.
#ifndef ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_FUNCTIONS_H_
#define ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_FUNCTIONS_H_

#include <cmath>

namespace onnxcmp::vec::fused {

// NOLINTBEGIN(readability-identifier-naming): SLEEF's names
float exp(float x);
float expm1(float x);
float log(float x);
float log1p(float x);
float log2(float x);
float sin(float x);
float cos(float x);
float tan(float x);
float asin(float x);
float acos(float x);
float atan(float x);
float sinh(float x);
float cosh(float x);
float tanh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);
float erf(float x);
float pow(float x, float y);
inline float sqrt(float x) { return std::sqrt(x); }

double exp(double x);
double expm1(double x);
double log(double x);
double log1p(double x);
double log2(double x);
double sin(double x);
double cos(double x);
double tan(double x);
double asin(double x);
double acos(double x);
double atan(double x);
double sinh(double x);
double cosh(double x);
double tanh(double x);
double asinh(double x);
double acosh(double x);
double atanh(double x);
double erf(double x);
double pow(double x, double y);
inline double sqrt(double x) { return std::sqrt(x); }
// NOLINTEND(readability-identifier-naming)

}  // namespace onnxcmp::vec::fused

#endif  // ONNXCMP_OPS_COMMON_FUNCTIONS_FUSED_FUNCTIONS_H_
