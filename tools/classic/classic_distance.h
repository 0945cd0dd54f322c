// The distance of two results that the classic alignment minimizes.
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_DISTANCE_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_DISTANCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tools/classic/classic_row.h"

namespace onnxcmp {

// The sum of: 1000 for different kinds; for the dtypes 0 if equal, 2 if both are among float16,
// float32 and float64, else 10; for the shapes see ShapeDistance; the differences of the letters'
// codes; 10 for different op types. Never above 2^53, so that sums of many do not overflow.
int64_t ClassicDistance(const ClassicRow& left, const ClassicRow& right);

// The same for any row of one stream against any of another. All that does not depend on the
// letters is computed in advance for each pair of row *classes* (kind, dtype, shape, op type), of
// which a model has few.
class ClassicDistances {
 public:
  ClassicDistances(absl::Span<const ClassicRow> left, absl::Span<const ClassicRow> right);

  int64_t operator()(size_t left, size_t right) const;

 private:
  // The distance of the letters of two rows, packed into 32 bits.
  static int64_t LetterDistance(uint32_t left, uint32_t right);

  absl::Span<const ClassicRow> left_rows_;
  absl::Span<const ClassicRow> right_rows_;
  std::vector<uint32_t> left_class_;
  std::vector<uint32_t> right_class_;
  std::vector<uint32_t> left_letters_;
  std::vector<uint32_t> right_letters_;
  size_t right_classes_ = 0;
  // [left class][right class]; empty when there are too many classes for a table.
  std::vector<int64_t> table_;
};

inline int64_t ClassicDistances::LetterDistance(uint32_t left, uint32_t right) {
  // All four bytes at once. Codes are below 128, so that with the top bit set no byte borrows; a
  // byte of `difference` is then the signed difference of two codes.
  constexpr uint32_t kTop = 0x80808080u;
  const uint32_t difference = ((left | kTop) - right) ^ kTop;
  const uint32_t negative = (difference & kTop) >> 7;  // 1 in each negative byte
  const uint32_t magnitude = (difference ^ (negative * 0xFFu)) + negative;
  return (magnitude * 0x01010101u) >> 24;  // at most 4 * 27
}

inline int64_t ClassicDistances::operator()(size_t left, size_t right) const {
  if (table_.empty()) {
    return ClassicDistance(left_rows_[left], right_rows_[right]);
  }
  return table_[left_class_[left] * right_classes_ + right_class_[right]] +
         LetterDistance(left_letters_[left], right_letters_[right]);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_DISTANCE_H_
