#include "feed/made_up/mask_rows.h"

#include <algorithm>

namespace onnxcmp {
namespace {

// Shorter rows have no room for a hole.
constexpr int64_t kHasHoles = 4;

}  // namespace

MaskRows::MaskRows(int64_t length, Regime regime, int set)
    : length_(length), regime_(regime), set_(set) {}

MaskRows::Form MaskRows::FormOf(int64_t row) const {
  if (length_ <= 1 && regime_ != Regime::kNothing) return Form::kAll;
  switch (regime_) {
    case Regime::kZeros:
    case Regime::kOnes:
      return Form::kAll;
    case Regime::kNothing:
      return row % 2 == 0 ? Form::kNone : Form::kAll;
    case Regime::kEnds:
      return row % 2 == 0 ? Form::kOne : Form::kAll;
    default:
      break;
  }
  const bool holes = length_ >= kHasHoles;
  switch (set_ % 4) {
    case 0:
      return Form::kEnd;
    case 1:
      return holes ? Form::kBeginAndHole : Form::kBegin;
    default:
      break;
  }
  switch ((row + set_) % 3) {
    case 0:
      return Form::kBegin;
    case 1:
      return Form::kEnd;
    default:
      return holes ? Form::kHole : Form::kBegin;
  }
}

int64_t MaskRows::CountOf(int64_t row) const {
  // Between all but one of the row's elements and two thirds of them.
  const int64_t least = std::max<int64_t>(1, 2 * length_ / 3);
  return length_ - 1 - (row * 2 + set_) % std::max<int64_t>(1, length_ - least);
}

bool MaskRows::Counts(int64_t i) const {
  const int64_t row = i / length_;
  const int64_t at = i % length_;
  const int64_t begins = length_ - CountOf(row);
  // Among the elements that count, but not in the middle, which keeps its place when a row is
  // reversed.
  const int64_t hole = begins + std::max<int64_t>(1, (length_ - begins) / 3);
  switch (FormOf(row)) {
    case Form::kAll:
      return true;
    case Form::kNone:
      return false;
    case Form::kOne:
      return at < 1;
    case Form::kEnd:
      return at < CountOf(row);
    case Form::kBegin:
      return at >= begins;
    case Form::kHole:
      return at != length_ / 3;
    case Form::kBeginAndHole:
      return at >= begins && (at != hole || at + 1 == length_);
  }
  return true;
}

}  // namespace onnxcmp
