#include "samples/figures/exact_sum.h"

#include <cmath>
#include <cstddef>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

constexpr int kBits = 32;                           // of a digit
constexpr int kLowest = -1074;                      // exponent of the least double
constexpr int kMantissa = 53;                       // bits of a double's integer
constexpr int64_t kBase = int64_t{1} << kBits;      // of the digits
constexpr int64_t kMostPending = int64_t{1} << 30;  // digits of 32 bits that an int64 can add up

// Carries what is beyond a digit to the next one, the sign to the last.
void CarryAll(std::array<int64_t, ExactSum::kDigits>* digits) {
  int64_t carry = 0;
  for (size_t i = 0; i + 1 < digits->size(); ++i) {
    const int64_t sum = (*digits)[i] + carry;
    carry = sum >> kBits;
    (*digits)[i] = sum - carry * kBase;
  }
  digits->back() += carry;
}

}  // namespace

void ExactSum::Carry() {
  CarryAll(&digits_);
  pending_ = 0;
}

void ExactSum::Add(double number) {
  OC_CHECK(std::isfinite(number));
  if (number == 0) return;
  if (++pending_ >= kMostPending) Carry();
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  // |number| = integer * 2^(place + kLowest); a denormal's lowest bits are below the least double,
  // and 0.
  auto integer = static_cast<uint64_t>(std::ldexp(fraction, kMantissa));
  int place = exponent - kMantissa - kLowest;
  if (place < 0) {
    integer >>= -place;
    place = 0;
  }
  const auto first = static_cast<size_t>(place / kBits);
  unsigned __int128 shifted = static_cast<unsigned __int128>(integer) << (place % kBits);
  for (size_t i = first; shifted != 0; ++i, shifted >>= kBits) {
    const auto digit = static_cast<int64_t>(shifted & (kBase - 1));
    digits_[i] += number < 0 ? -digit : digit;
  }
}

void ExactSum::Add(const ExactSum& other) {
  const std::array<int64_t, kDigits> others = other.Digits();
  Carry();
  for (size_t i = 0; i < digits_.size(); ++i) digits_[i] += others[i];
  Carry();
}

std::array<int64_t, ExactSum::kDigits> ExactSum::Digits() const {
  std::array<int64_t, kDigits> digits = digits_;
  CarryAll(&digits);
  return digits;
}

ExactSum ExactSum::OfDigits(const std::array<int64_t, kDigits>& digits) {
  ExactSum sum;
  sum.digits_ = digits;
  sum.Carry();
  return sum;
}

double ExactSum::Total() const {
  std::array<int64_t, kDigits> digits = Digits();
  const bool negative = digits.back() < 0;
  if (negative) {
    for (int64_t& digit : digits) digit = -digit;
    CarryAll(&digits);
  }
  // From the highest digit down: no later one cancels what was added.
  double total = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    if (digits[i] != 0) {
      total += std::ldexp(static_cast<double>(digits[i]), static_cast<int>(i) * kBits + kLowest);
    }
  }
  return negative ? -total : total;
}

}  // namespace onnxcmp
