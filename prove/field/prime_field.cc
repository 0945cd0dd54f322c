#include "prove/field/prime_field.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <utility>

namespace onnxcmp {
namespace {

// Spreads the bits of a number (the finalizer of SplitMix64).
uint64_t Spread(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// MixNumbers() of a number that has been spread.
uint64_t MixSpread(uint64_t spread, uint64_t b) {
  return Spread(spread ^ (b * 0xd6e8feb86659fd93));
}

// A random bit pattern as an element that is neither 0 nor 1.
Residue AsElement(uint64_t bits) {
  constexpr uint64_t kOthers = (uint64_t{1} << PrimeField::kBits) - (uint64_t{1} << 40) - 2;
  return static_cast<Residue>((static_cast<unsigned __int128>(bits) * kOthers) >> 64) + 2;
}

uint64_t PowerModulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
  const auto times = [&](uint64_t a, uint64_t b) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % modulus);
  };
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = times(result, base);
    base = times(base, base);
  }
  return result;
}

// True if n, which is 7 modulo 8, is a prime modulo which all small primes are squares: by the law
// of quadratic reciprocity, which is quick, and by Euler's criterion, which numbers that are no
// primes hardly ever meet for all of them.
bool IsWanted(uint64_t n) {
  constexpr std::array<uint64_t, 10> kTrialDivisors = {3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
  const auto may_be_square = [&](uint64_t small) {
    const uint64_t rest = small % 4 == 1 ? n % small : small - n % small;
    for (uint64_t root = 1; 2 * root < small; ++root) {
      if (root * root % small == rest) return true;
    }
    return false;
  };
  return std::all_of(kTrialDivisors.begin(), kTrialDivisors.end(), may_be_square) &&
         std::all_of(kTrialDivisors.begin(), kTrialDivisors.end(),
                     [&](uint64_t small) { return PowerModulo(small, (n - 1) / 2, n) == 1; });
}

uint64_t RandomPrime(uint64_t seed) {
  constexpr uint64_t kFirst = (uint64_t{1} << PrimeField::kBits) - (uint64_t{1} << 40);
  // 7 modulo 8, so that 2 is a square and -1 is none.
  uint64_t n = kFirst + (MixNumbers(FunctionNumber("prime"), seed) >> 27) * 8 + 7;
  while (!IsWanted(n)) n = n + 8 < uint64_t{1} << PrimeField::kBits ? n + 8 : kFirst + 7;
  return n;
}

constexpr size_t kLeastPower = 1200;  // the index of 2^0

}  // namespace

PrimeField::PrimeField(uint64_t seed)
    : seed_(seed), prime_(RandomPrime(seed)), one_over_prime_(1 / static_cast<double>(prime_)) {
  std::vector<Residue> powers(2 * kLeastPower, 1);
  const Residue half = static_cast<Residue>(prime_ / 2) + 1;
  for (size_t i = 1; i < kLeastPower; ++i) {
    powers[kLeastPower + i] = Add(powers[kLeastPower + i - 1], powers[kLeastPower + i - 1]);
    powers[kLeastPower - i] = Mul(powers[kLeastPower - i + 1], half);
  }
  powers_ = std::make_shared<const std::vector<Residue>>(std::move(powers));
}

uint64_t MixNumbers(uint64_t a, uint64_t b) { return MixSpread(Spread(a), b); }

Residue PrimeField::OfDouble(double number) const {
  Residue residue = 0;
  OfDoubles(&number, absl::MakeSpan(&residue, 1));
  return residue;
}

namespace {

// Embeds numbers of IEEE 754. `Bits`: the unsigned type of their size.
template <typename Number, typename Bits>
void EmbedNumbers(const PrimeField& field, absl::Span<const Residue> powers, const Number* numbers,
                  absl::Span<Residue> residues) {
  constexpr int kFractionBits = std::numeric_limits<Number>::digits - 1;
  constexpr Bits kFraction = (Bits{1} << kFractionBits) - 1;
  constexpr Bits kExponent = std::numeric_limits<Bits>::max() >> (kFractionBits + 1);
  // The bias of exponents, counted from the last bit.
  constexpr int kBias = std::numeric_limits<Number>::max_exponent - 1 + kFractionBits;
  const auto prime = static_cast<Residue>(field.prime());
  for (size_t i = 0; i < residues.size(); ++i) {
    const auto bits = std::bit_cast<Bits>(numbers[i]);
    const auto exponent = static_cast<Bits>(bits >> kFractionBits) & kExponent;
    const Bits fraction = bits & kFraction;
    const auto negative = static_cast<Residue>(bits >> (std::numeric_limits<Bits>::digits - 1));
    if (exponent == kExponent) {
      residues[i] = fraction != 0 ? kNoNumber : negative != 0 ? kMinusInfinity : kPlusInfinity;
      continue;
    }
    // Numbers next to 0 have no bit before the others.
    const Bits mantissa = exponent == 0 ? fraction : fraction | (kFraction + 1);
    const int shift = std::max(static_cast<int>(exponent), 1) - kBias;
    const int64_t place = static_cast<int64_t>(kLeastPower) + shift;
    const Residue power = powers[static_cast<size_t>(place)];
    const Residue size = field.Mul(field.OfUnsigned(mantissa), power);
    // Signs of weights are not foreseen: no branch.
    const Residue turned = prime & -(negative & (size != 0));
    residues[i] = (size ^ -negative) + negative + turned;
  }
}

}  // namespace

void PrimeField::OfDoubles(const double* numbers, absl::Span<Residue> residues) const {
  EmbedNumbers<double, uint64_t>(*this, *powers_, numbers, residues);
}

void PrimeField::OfFloats(const float* numbers, absl::Span<Residue> residues) const {
  EmbedNumbers<float, uint32_t>(*this, *powers_, numbers, residues);
}

Residue PrimeField::AddSpecial(Residue a, Residue b) {
  if (a == kNoNumber || b == kNoNumber) return kNoNumber;
  if (IsNumber(a)) return b;
  if (IsNumber(b)) return a;
  return a == b ? a : kNoNumber;
}

Residue PrimeField::Power(Residue a, uint64_t exponent) const {
  if (!IsNumber(a)) return kNoNumber;
  Residue result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = Mul(result, a);
    a = Mul(a, a);
  }
  return result;
}

Residue PrimeField::Inverse(Residue a) const {
  if (a == kMinusInfinity || a == kPlusInfinity) return 0;
  if (a <= 0) return kNoNumber;
  // The extended algorithm of Euclid is faster than a power.
  __int128 last = 0;
  __int128 coefficient = 1;
  auto rest = static_cast<int64_t>(prime_);
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
  if (coefficient < 0) coefficient += prime_;
  return static_cast<Residue>(coefficient);
}

void PrimeField::Invert(absl::Span<Residue> numbers) const {
  // The products of all before each one; one inverse, of the product of all, gives all others. They
  // are several chains, since each product waits for the one before it.
  constexpr size_t kChains = 8;
  const size_t last = numbers.size() < kChains * kChains ? 0 : kChains - 1;
  std::vector<Residue> before(numbers.size());
  std::array<Residue, kChains> chains;
  chains.fill(1);
  for (size_t i = 0; i < numbers.size(); ++i) {
    Residue& product = chains[i & last];
    before[i] = product;
    product = numbers[i] > 0 ? Mul(product, numbers[i]) : product;
  }
  for (Residue& product : chains) product = Inverse(product);
  for (size_t i = numbers.size(); i-- > 0;) {
    const Residue number = numbers[i];
    Residue& inverse = chains[i & last];
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

void PrimeField::RandomAll(uint64_t function, absl::Span<Residue> numbers) const {
  const uint64_t spread = Spread(MixNumbers(seed_, function));
  for (Residue& number : numbers) {
    if (number != kNoNumber) number = AsElement(MixSpread(spread, static_cast<uint64_t>(number)));
  }
}

Residue PrimeField::Odd(uint64_t function, Residue x) const {
  if (x == 0) return 0;
  if (!IsNumber(x))
    return x == kMinusInfinity ? Neg(Random(function, kPlusInfinity)) : Random(function, x);
  return !IsUpper(x) ? Random(function, x) : Neg(Random(function, Neg(x)));
}

Residue PrimeField::Even(uint64_t function, Residue x) const {
  return Random(function, IsUpper(x) || x == kMinusInfinity ? Neg(x) : x);
}

Residue PrimeField::Exp(Residue x) const {
  ExpAll(absl::MakeSpan(&x, 1));
  return x;
}

void PrimeField::ExpAll(absl::Span<Residue> numbers) const {
  constexpr uint64_t kExp = FunctionNumber("exp");
  const uint64_t spread = Spread(MixNumbers(seed_, kExp));
  const auto random = [&](Residue x) {
    return AsElement(MixSpread(spread, static_cast<uint64_t>(x)));
  };
  // Powers of -x for x that count as below 0: their inverses, at less cost together.
  std::vector<Residue> inverses;
  std::vector<size_t> places;
  for (size_t i = 0; i < numbers.size(); ++i) {
    Residue& x = numbers[i];
    if (IsUpper(x)) {
      places.push_back(i);
      inverses.push_back(random(Neg(x)));
    } else if (x > 0) {
      x = random(x);
    } else if (x == 0 || x == kMinusInfinity) {
      x = x == 0 ? 1 : 0;
    }
  }
  Invert(absl::MakeSpan(inverses));
  for (size_t i = 0; i < places.size(); ++i) numbers[places[i]] = inverses[i];
}

bool PrimeField::IsSmallRatio(Residue x) const {
  constexpr Residue kMostInRatio = 1024;
  if (!IsNumber(x)) return false;
  // The least b for which x b is small, by the remainders of Euclid's algorithm.
  auto rest = static_cast<Residue>(prime_);
  Residue before = 0;
  Residue b = 1;
  while (x > kMostInRatio) {
    const Residue quotient = rest / x;
    before = std::exchange(b, before + quotient * b);
    rest = std::exchange(x, rest - quotient * x);
    if (b > kMostInRatio) return false;
  }
  return true;
}

Residue PrimeField::Sqrt(Residue x) const {
  constexpr uint64_t kSqrt = FunctionNumber("sqrt");
  if (x == 0 || x == kPlusInfinity) return x;
  if (!IsNumber(x)) return kNoNumber;
  const Residue root = Power(x, (prime_ + 1) / 4);
  return Mul(root, root) == x ? root : Random(kSqrt, x);
}

Residue PrimeField::Root(Residue x) const {
  constexpr uint64_t kRoot = FunctionNumber("root");
  if (!IsNumber(x) || IsSmallRatio(x)) return Sqrt(x);
  // The root of 1 / x is 1 over the root of x.
  const Residue inverse = Inverse(x);
  return x <= inverse ? Random(kRoot, x) : Inverse(Random(kRoot, inverse));
}

Residue PrimeField::Step(Residue x) const {
  constexpr uint64_t kStep = FunctionNumber("step");
  if (x == 0 || x == kMinusInfinity) return 0;
  if (x == kPlusInfinity) return 1;
  if (x == kNoNumber) return kNoNumber;
  return !IsUpper(x) ? Random(kStep, x) : Sub(1, Random(kStep, Neg(x)));
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
  // Distances from the mean: a number that is added to all of them is added to the greatest.
  Residue mean = 0;
  for (const Residue number : *numbers) mean = Add(mean, number);
  mean = Div(mean, static_cast<Residue>(numbers->size()));
  for (Residue& number : *numbers) number = Sub(number, mean);
  std::sort(numbers->begin(), numbers->end());
  uint64_t all = MixNumbers(seed_, kMax);
  for (const Residue number : *numbers) all = MixNumbers(all, static_cast<uint64_t>(number));
  return Add(mean, AsElement(all));
}

}  // namespace onnxcmp
