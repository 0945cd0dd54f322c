// The integers modulo a prime, in which models are run instead of floats: arithmetic is exact, and
// functions that it does not have are random functions of their arguments.
#ifndef ONNXCMP_PROVE_FIELD_PRIME_FIELD_H_
#define ONNXCMP_PROVE_FIELD_PRIME_FIELD_H_

#include <cstdint>
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

// Its prime is p = 2^44 - 3320777. (p - 1) / 2 is prime, too, and 2, 3, 5, ... 31 are squares
// modulo p, so that sqrt(2) * sqrt(2) = 2 as among real numbers. Numbers of 44 bits are multiplied
// by vectors of doubles (product_loops.h), and are still so many that no two meet by accident.
class PrimeField {
 public:
  static constexpr int kBits = 44;
  static constexpr uint64_t kDistance = 3320777;
  static constexpr uint64_t kPrime = (uint64_t{1} << kBits) - kDistance;

  // The seed chooses the random functions and numbers.
  explicit PrimeField(uint64_t seed) : seed_(seed) {}

  uint64_t seed() const { return seed_; }

  static Residue OfInteger(int64_t integer) {
    const auto modulus = static_cast<int64_t>(kPrime);
    const int64_t rest = integer % modulus;
    return rest < 0 ? rest + modulus : rest;
  }
  // The exact number that a float or a double is.
  static Residue OfDouble(double number);
  // The same of as many numbers as `residues` has elements.
  static void OfDoubles(const double* numbers, absl::Span<Residue> residues);
  static void OfFloats(const float* numbers, absl::Span<Residue> residues);
  // a / b; kNoNumber if b is 0.
  static Residue OfRatio(int64_t a, int64_t b) { return Div(OfInteger(a), OfInteger(b)); }

  // The next take the numbers below 0, too, where what they give is known: infinity + 1, but not
  // infinity * x, whose sign is not.
  static Residue Add(Residue a, Residue b) {
    if ((a | b) < 0) return AddSpecial(a, b);
    const uint64_t sum = static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
    return static_cast<Residue>(sum >= kPrime ? sum - kPrime : sum);
  }
  static Residue Neg(Residue a) {
    if (a > 0) return static_cast<Residue>(kPrime) - a;
    return a == kMinusInfinity ? kPlusInfinity : a == kPlusInfinity ? kMinusInfinity : a;
  }
  static Residue Sub(Residue a, Residue b) { return Add(a, Neg(b)); }
  static Residue Mul(Residue a, Residue b) {
    if ((a | b) < 0) return kNoNumber;
    return Reduce(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
  }
  static Residue Inverse(Residue a);  // 1 / infinity is 0; kNoNumber for 0
  static Residue Div(Residue a, Residue b) {
    if (a == 0 && b != 0 && b != kNoNumber) return 0;
    return Mul(a, Inverse(b));
  }
  static Residue Power(Residue a, uint64_t exponent);
  // The inverses of many numbers, at the cost of three products each.
  static void Invert(absl::Span<Residue> numbers);

  // A number below 2^88.
  static Residue Reduce(unsigned __int128 x) {
    constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
    const unsigned __int128 once =
        static_cast<uint64_t>(x & kMask) +
        static_cast<unsigned __int128>(static_cast<uint64_t>(x >> kBits)) * kDistance;
    uint64_t twice =
        (static_cast<uint64_t>(once) & kMask) + static_cast<uint64_t>(once >> kBits) * kDistance;
    if (twice >= kPrime) twice -= kPrime;
    return static_cast<Residue>(twice >= kPrime ? twice - kPrime : twice);
  }

  // A random function, called by a number, of one argument or of several. Never 0, 1 or special;
  // of kNoNumber it is kNoNumber.
  Residue Random(uint64_t function, Residue a) const;
  Residue Random(uint64_t function, Residue a, Residue b) const;

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
  static bool IsSmallRatio(Residue x);
  // Of a constant: sqrt(x)^2 = x and sqrt(x y) = sqrt(x) sqrt(y) for squares; random for others.
  // Which of two roots it is says nothing of the sign of a real one, but for those of small ratios.
  Residue Sqrt(Residue x) const;
  // Of a value that depends on inputs: random but for small ratios, so that the root of a square is
  // not that of which it is the square.
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

  uint64_t seed_;
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
