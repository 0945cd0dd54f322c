// The integers modulo a prime, in which models are run instead of floats: arithmetic is exact, and
// functions that it does not have are random functions of their arguments.
#ifndef ONNXCMP_PROVE_FIELD_PRIME_FIELD_H_
#define ONNXCMP_PROVE_FIELD_PRIME_FIELD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace onnxcmp {

// An element of the field, 0 to p - 1, or one of the numbers below 0 that are none.
using Residue = int64_t;
inline constexpr Residue kMinusInfinity = -1;
inline constexpr Residue kPlusInfinity = -2;
// NaN, 0 / 0, an infinity times a number of unknown sign.
inline constexpr Residue kNoNumber = -3;

inline bool IsNumber(Residue x) { return x >= 0; }

// Its prime p is a random one of millions between 2^44 - 2^40 and 2^44, so that nobody can write
// constants that are alike modulo p alone. 2, 3, 5, ... 31 are squares modulo p and -1 is none, so
// that sqrt(2) * sqrt(2) = 2 as among real numbers. Numbers of 44 bits are multiplied by vectors of
// doubles (product_loops.h), and are still so many that no two meet by accident.
class PrimeField {
 public:
  static constexpr int kBits = 44;

  // The seed chooses the prime, the random functions and numbers.
  explicit PrimeField(uint64_t seed);

  uint64_t seed() const { return seed_; }
  uint64_t prime() const { return prime_; }

  Residue OfInteger(int64_t integer) const {
    const auto modulus = static_cast<int64_t>(prime_);
    const int64_t rest = integer % modulus;
    return rest < 0 ? rest + modulus : rest;
  }
  Residue OfUnsigned(uint64_t integer) const {
    return static_cast<Residue>(integer < prime_ ? integer : integer % prime_);
  }
  // The exact number that a float or a double is.
  Residue OfDouble(double number) const;
  // The same of as many numbers as `residues` has elements.
  void OfDoubles(const double* numbers, absl::Span<Residue> residues) const;
  void OfFloats(const float* numbers, absl::Span<Residue> residues) const;
  // a / b; kNoNumber if b is 0.
  Residue OfRatio(int64_t a, int64_t b) const { return Div(OfInteger(a), OfInteger(b)); }

  // The next take the numbers below 0, too, where what they give is known: infinity + 1, but not
  // infinity * x, whose sign is not.
  Residue Add(Residue a, Residue b) const {
    if ((a | b) < 0) return AddSpecial(a, b);
    const uint64_t sum = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
    return static_cast<Residue>(sum >= prime_ ? sum - prime_ : sum);
  }
  Residue Neg(Residue a) const {
    if (a > 0) return static_cast<Residue>(prime_) - a;
    return a == kMinusInfinity ? kPlusInfinity : a == kPlusInfinity ? kMinusInfinity : a;
  }
  Residue Sub(Residue a, Residue b) const { return Add(a, Neg(b)); }
  Residue Mul(Residue a, Residue b) const {
    if ((a | b) < 0) return kNoNumber;
    // The quotient by the prime, or one of its neighbours.
    const auto quotient =
        static_cast<uint64_t>(static_cast<double>(a) * static_cast<double>(b) * one_over_prime_);
    auto rest = static_cast<Residue>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) -
                                     quotient * prime_);
    const auto modulus = static_cast<Residue>(prime_);
    rest += modulus & (rest >> 63);
    return rest >= modulus ? rest - modulus : rest;
  }
  Residue Inverse(Residue a) const;  // 1 / infinity is 0; kNoNumber for 0
  Residue Div(Residue a, Residue b) const {
    if (a == 0 && b != 0 && b != kNoNumber) return 0;
    return Mul(a, Inverse(b));
  }
  Residue Power(Residue a, uint64_t exponent) const;
  // The inverses of many numbers, at the cost of three products each.
  void Invert(absl::Span<Residue> numbers) const;

  // A random function, called by a number, of one argument or of several. Never 0, 1 or special;
  // of kNoNumber it is kNoNumber.
  Residue Random(uint64_t function, Residue a) const;
  Residue Random(uint64_t function, Residue a, Residue b) const;
  // The same of many numbers, in their places, at less cost.
  void RandomAll(uint64_t function, absl::Span<Residue> numbers) const;

  // f(-x) = -f(x).
  Residue Odd(uint64_t function, Residue x) const;
  // f(-x) = f(x).
  Residue Even(uint64_t function, Residue x) const;
  // exp(-x) = 1 / exp(x), exp(0) = 1, exp(-infinity) = 0.
  Residue Exp(Residue x) const;
  // The same of many numbers, in their places, at less cost.
  void ExpAll(absl::Span<Residue> numbers) const;
  // The ratios of integers up to 1024, of which there are so few that hardly any value that depends
  // on inputs is one.
  bool IsSmallRatio(Residue x) const;
  // The root of a constant: sqrt(x)^2 = x and sqrt(x y) = sqrt(x) sqrt(y) for squares; random for
  // others. Which of two roots it is says nothing of the sign of a real one, but for those of small
  // ratios.
  Residue Sqrt(Residue x) const;
  // The root of a value that depends on inputs: random but for small ratios, so that the root of a
  // square is not that of which it is the square.
  Residue Root(Residue x) const;
  // 1 for x > 0, 0 for x < 0: step(-x) = 1 - step(x). At 0, where whoever uses it multiplies it by
  // 0, it is 0.
  Residue Step(Residue x) const;
  // x, or what is greater: x + (y - x) step(y - x).
  Residue Max(Residue x, Residue y) const;
  Residue Min(Residue x, Residue y) const { return Neg(Max(Neg(x), Neg(y))); }
  // The same for the same set of numbers: neither order nor repetition counts. Changes the order of
  // `numbers`.
  Residue MaxOf(std::vector<Residue>* numbers) const;

 private:
  static Residue AddSpecial(Residue a, Residue b);
  // True for those that count as below 0.
  bool IsUpper(Residue x) const { return x > static_cast<Residue>(prime_ / 2); }

  uint64_t seed_;
  uint64_t prime_;
  double one_over_prime_;
  std::shared_ptr<const std::vector<Residue>> powers_;  // of 2, for all exponents of doubles
};

// A number for a function's name.
constexpr uint64_t FunctionNumber(absl::string_view name) {
  uint64_t number = 0xcbf29ce484222325;
  for (const char letter : name) {
    number = (number ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return number;
}
// A number that depends on all of these, in their order.
uint64_t MixNumbers(uint64_t a, uint64_t b);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_PRIME_FIELD_H_
