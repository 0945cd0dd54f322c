// The members of ValueMaker that choose ids and positions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/made_up_values.h"
#include "feed/made_up/regime.h"

namespace onnxcmp {

int64_t ValueMaker::Within(int64_t limit) {
  switch (regime_) {
    case Regime::kZeros:
      return 0;
    case Regime::kOnes:
      return std::min<int64_t>(1, limit - 1);
    case Regime::kEnds:
      return random_.Below(2) == 0 ? 0 : limit - 1;
    case Regime::kTies:
      return random_.Below(std::min<int64_t>(limit, 3));
    default:
      return random_.Below(limit);
  }
}

// Includes rows that are known to differ; repeats ids if results of equal ones are added up; and in
// one set, where that is legal, counts some from the end.
ValueMaker::Maker ValueMaker::MakerOf(const IdPurpose& purpose, const Asked& asked) {
  constexpr double kFarthest = 1e9;
  const int64_t limit = asked.rows;
  const std::vector<double>& landmarks = asked.purpose.landmarks;
  std::vector<int64_t> ids(static_cast<size_t>(asked.count));
  for (int64_t& id : ids) id = Within(limit);
  const size_t count = ids.size();
  // Masks never hide the middle of a row, however it is padded.
  const std::vector<int64_t>& wanted = purpose.rows_that_differ;
  const auto row = static_cast<size_t>(std::max<int64_t>(1, asked.row));
  const size_t taken = std::min(wanted.size(), (count + 1) / 2);
  for (size_t k = 0; k < taken; ++k) {
    const size_t which =
        wanted.size() <= taken
            ? k
            : (k * wanted.size() / taken + static_cast<size_t>(set_)) % wanted.size();
    const size_t at = (k * count / taken + row / 2) % count;
    if (wanted[which] < limit) ids[at] = wanted[which];
  }
  if (purpose.adds_up) {
    const size_t step = asked.shape.size() >= 2 ? row : 1;
    for (size_t i = step; i < count; ++i) {
      if (i / step % 2 == 1 && (IsForTheRare() || random_.Below(2) == 0)) ids[i] = ids[i - step];
    }
    // Along the last axis, too.
    for (size_t i = 1; i < count && step > 1; i += 2) {
      if (i / step % 2 == 0 && i % step > 0 && random_.Below(2) == 0) ids[i] = ids[i - 1];
    }
  }
  if (purpose.wraps > 0 && set_ > 0) {
    constexpr int64_t kTimes = 100;
    // Rare ids are below 0, where remainders have the sign of either operand.
    const int64_t step = IsForTheRare() ? -purpose.wraps : purpose.wraps;
    for (size_t i = 0; i < count; i += 2) ids[i] += step * random_.Below(kTimes);
  }
  Pad(asked, limit, &ids);
  // Beyond the table, where the graph compares ids with such a number and may put others in their
  // place: unknown words, labels that do not count. Other graphs cannot run on this set.
  if (regime_ == Regime::kEnds && set_ % 2 == 1) {
    for (size_t i = 0; i < count && !landmarks.empty(); i += 2) {
      const double mark = landmarks[(i / 2) % landmarks.size()];
      if (mark != std::floor(mark) || std::abs(mark) > kFarthest) continue;
      if (mark < 0) ids[i] = static_cast<int64_t>(mark);
      if (mark + 1 >= static_cast<double>(limit)) ids[i] = static_cast<int64_t>(mark) + 1;
    }
  }
  if (IsForTheRare() && !asked.purpose.not_negative && regime_ != Regime::kEnds) {
    for (size_t i = 0; i < count; i += 2) ids[i] = ids[i] == 0 ? -1 : ids[i] - limit;
  }
  return [ids = std::move(ids)](int64_t i) {
    return static_cast<double>(ids[static_cast<size_t>(i)]);
  };
}

// Ids that the graph compares with a number, as padding and the end of a text are: rows begin with
// it in the second set and end in it in the third, none wholly.
void ValueMaker::Pad(const Asked& asked, int64_t limit, std::vector<int64_t>* ids) const {
  const auto row = static_cast<size_t>(std::max<int64_t>(1, asked.row));
  const std::vector<double>& landmarks = asked.purpose.landmarks;
  if (set_ == 0 || landmarks.empty() || row < 3 || regime_ == Regime::kEnds) return;
  const double mark = landmarks[static_cast<size_t>(set_) % landmarks.size()];
  if (!(mark >= 0 && mark < static_cast<double>(limit)) || mark != std::floor(mark)) return;
  for (size_t first = 0; first + row <= ids->size(); first += row) {
    const size_t many = 1 + (row / 3 + first / row) % ((row - 1) / 2);
    const size_t from = set_ % 2 == 1 ? first : first + row - many;
    std::fill_n(ids->begin() + static_cast<std::ptrdiff_t>(from), many, static_cast<int64_t>(mark));
  }
}

// The second set reaches the table's end, or with the third the end of the usual time steps.
ValueMaker::Maker ValueMaker::MakerOf(const PositionPurpose& positions, const Asked& asked) {
  constexpr int64_t kLastStep = 999;
  const int64_t row = asked.row;
  const std::optional<int64_t> limit = asked.limit;
  if (!limit.has_value() && !positions.begin.has_value() && asked.shape.size() <= 1 &&
      (set_ % 4 == 1 || IsForTheRare())) {
    return [=](int64_t i) {
      const int64_t at = i % row;
      return static_cast<double>(at + 1 == row ? kLastStep : std::min(kLastStep, 97 * (at + 1)));
    };
  }
  int64_t first = set_;
  if (limit.has_value() && set_ % 4 == 1 && *limit > row) first = *limit - row;
  first = positions.begin.value_or(first);
  return [=](int64_t i) {
    const int64_t position = first + i % row;
    return static_cast<double>(limit.has_value() ? std::min(position, *limit - 1) : position);
  };
}

}  // namespace onnxcmp
