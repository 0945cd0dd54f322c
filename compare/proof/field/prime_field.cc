#include "compare/proof/field/prime_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace onnxcmp {
namespace {

constexpr auto kHalf = static_cast<Residue>(PrimeField::kPrime / 2);

// Spreads the bits of a number (the finalizer of SplitMix64).
uint64_t Spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// A random bit pattern as an element that is neither 0 nor 1.
Residue AsElement(uint64_t bits) {
  return static_cast<Residue>(bits % (PrimeField::kPrime - 2)) + 2;
}

// 2^i for all exponents of doubles.
class PowersOfTwo {
 public:
  PowersOfTwo() {
    powers_[kLeast] = 1;
    for (size_t i = kLeast + 1; i < powers_.size(); ++i) {
      powers_[i] = PrimeField::Add(powers_[i - 1], powers_[i - 1]);
    }
    const Residue half = PrimeField::Inverse(2);
    for (size_t i = kLeast; i-- > 0;) powers_[i] = PrimeField::Mul(powers_[i + 1], half);
  }
  Residue At(int exponent) const {
    return powers_[static_cast<size_t>(exponent + static_cast<int>(kLeast))];
  }

 private:
  static constexpr size_t kLeast = 1200;
  std::array<Residue, 2 * kLeast> powers_ = {};
};

}  // namespace

uint64_t MixNumbers(uint64_t a, uint64_t b) { return Spread(Spread(a) ^ (b * 0xd6e8feb86659fd93)); }

Residue PrimeField::OfDouble(double number) {
  if (std::isnan(number)) return kNoNumber;
  if (std::isinf(number)) return number > 0 ? kPlusInfinity : kMinusInfinity;
  if (number == 0) return 0;
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(number), &exponent);
  constexpr int kBits = 53;
  Residue element = static_cast<Residue>(std::ldexp(mantissa, kBits));
  static const PowersOfTwo powers;
  element = Mul(element, powers.At(exponent - kBits));
  return number < 0 ? Neg(element) : element;
}

Residue PrimeField::AddSpecial(Residue a, Residue b) {
  if (a == kNoNumber || b == kNoNumber) return kNoNumber;
  if (IsNumber(a)) return b;
  if (IsNumber(b)) return a;
  return a == b ? a : kNoNumber;
}

Residue PrimeField::Power(Residue a, uint64_t exponent) {
  if (!IsNumber(a)) return kNoNumber;
  Residue result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = Mul(result, a);
    a = Mul(a, a);
  }
  return result;
}

Residue PrimeField::Inverse(Residue a) {
  if (a == kMinusInfinity || a == kPlusInfinity) return 0;
  if (a <= 0) return kNoNumber;
  // The extended algorithm of Euclid is faster than a power.
  __int128 last = 0;
  __int128 coefficient = 1;
  auto rest = static_cast<int64_t>(kPrime);
  int64_t next = a;
  while (next != 1) {
    const int64_t quotient = rest / next;
    const int64_t remainder = rest - quotient * next;
    rest = next;
    next = remainder;
    const __int128 newer = last - quotient * coefficient;
    last = coefficient;
    coefficient = newer;
  }
  if (coefficient < 0) coefficient += kPrime;
  return static_cast<Residue>(coefficient);
}

void PrimeField::Invert(absl::Span<Residue> numbers) {
  // The products of all before each one; one inverse, of the product of all, gives all others.
  std::vector<Residue> before(numbers.size());
  Residue product = 1;
  for (size_t i = 0; i < numbers.size(); ++i) {
    before[i] = product;
    if (numbers[i] > 0) product = Mul(product, numbers[i]);
  }
  Residue inverse = Inverse(product);
  for (size_t i = numbers.size(); i-- > 0;) {
    const Residue number = numbers[i];
    if (number <= 0) {
      numbers[i] = Inverse(number);
      continue;
    }
    numbers[i] = Mul(inverse, before[i]);
    inverse = Mul(inverse, number);
  }
}

Residue PrimeField::Random(uint64_t function, Residue a) const {
  if (a == kNoNumber) return kNoNumber;
  return AsElement(MixNumbers(MixNumbers(seed_, function), static_cast<uint64_t>(a)));
}

Residue PrimeField::Random(uint64_t function, Residue a, Residue b) const {
  if (a == kNoNumber || b == kNoNumber) return kNoNumber;
  const uint64_t first = MixNumbers(MixNumbers(seed_, function), static_cast<uint64_t>(a));
  return AsElement(MixNumbers(first, static_cast<uint64_t>(b)));
}

Residue PrimeField::Odd(uint64_t function, Residue x) const {
  if (x == 0) return 0;
  if (!IsNumber(x))
    return x == kMinusInfinity ? Neg(Random(function, kPlusInfinity)) : Random(function, x);
  return x <= kHalf ? Random(function, x) : Neg(Random(function, Neg(x)));
}

Residue PrimeField::Even(uint64_t function, Residue x) const {
  return Random(function, x > kHalf || x == kMinusInfinity ? Neg(x) : x);
}

Residue PrimeField::Exp(Residue x) const {
  constexpr uint64_t kExp = FunctionNumber("exp");
  if (x == kMinusInfinity) return 0;
  if (x == kPlusInfinity) return x;
  if (x == 0) return 1;
  return x <= kHalf ? Random(kExp, x) : Inverse(Random(kExp, Neg(x)));
}

void PrimeField::ExpAll(absl::Span<Residue> numbers) const {
  constexpr uint64_t kExp = FunctionNumber("exp");
  std::vector<Residue> inverses;
  std::vector<size_t> places;
  for (size_t i = 0; i < numbers.size(); ++i) {
    Residue& x = numbers[i];
    if (x > kHalf) {
      places.push_back(i);
      inverses.push_back(Random(kExp, Neg(x)));
    } else {
      x = Exp(x);
    }
  }
  Invert(absl::MakeSpan(inverses));
  for (size_t i = 0; i < places.size(); ++i) numbers[places[i]] = inverses[i];
}

Residue PrimeField::Sqrt(Residue x) const {
  constexpr uint64_t kSqrt = FunctionNumber("sqrt");
  if (x == 0 || x == kPlusInfinity) return x;
  if (!IsNumber(x)) return kNoNumber;
  const Residue root = Power(x, (kPrime + 1) / 4);
  return Mul(root, root) == x ? root : Random(kSqrt, x);
}

Residue PrimeField::Step(Residue x) const {
  constexpr uint64_t kStep = FunctionNumber("step");
  if (x == 0 || x == kMinusInfinity) return 0;
  if (x == kPlusInfinity) return 1;
  if (x == kNoNumber) return kNoNumber;
  return x <= kHalf ? Random(kStep, x) : Sub(1, Random(kStep, Neg(x)));
}

Residue PrimeField::Max(Residue x, Residue y) const {
  if (x == kNoNumber || y == kNoNumber) return kNoNumber;
  if (x == y || y == kMinusInfinity || x == kPlusInfinity) return x;
  if (x == kMinusInfinity || y == kPlusInfinity) return y;
  if (Add(x, y) == 0) return Mul(x, Sub(Mul(2, Step(x)), 1));  // |x|
  const Residue difference = Sub(y, x);
  return Add(x, Mul(difference, Step(difference)));
}

Residue PrimeField::MaxOf(std::vector<Residue>* numbers) const {
  constexpr uint64_t kMax = FunctionNumber("max");
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  if (numbers->empty()) return kMinusInfinity;
  // Sorted: kNoNumber, infinity, minus infinity, numbers.
  if (numbers->front() == kNoNumber || numbers->front() == kPlusInfinity) return numbers->front();
  if (numbers->front() == kMinusInfinity) numbers->erase(numbers->begin());
  if (numbers->empty()) return kMinusInfinity;
  if (numbers->size() == 1) return numbers->front();
  if (numbers->size() == 2) return Max((*numbers)[0], (*numbers)[1]);
  uint64_t all = MixNumbers(seed_, kMax);
  for (const Residue number : *numbers) all = MixNumbers(all, static_cast<uint64_t>(number));
  return AsElement(all);
}

}  // namespace onnxcmp
