#include "tools/classic/classic_alignment.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "tools/classic/classic_distance.h"

namespace onnxcmp {
namespace {

constexpr int64_t kAlone = 1000;
// The cost of a cell that does not exist. Far above any real cost, far below overflow.
constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max() / 4;

// The last step of the cheapest path to a cell.
enum Origin : uint8_t { kPair = 0, kAbove = 1, kLeft = 2 };

// Two bits for each cell of a band: row i holds the columns from max(0, i - lag) on.
class BackPointers {
 public:
  static absl::StatusOr<BackPointers> Allocate(int64_t rows, int64_t columns, int64_t lag) {
    const int64_t row_bytes = (std::min(columns, 2 * lag) + 3) / 4;
    OC_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, Buffer::Allocate(rows * row_bytes));
    return BackPointers(std::move(buffer), row_bytes);
  }

  uint8_t* Row(int64_t row) {
    return reinterpret_cast<uint8_t*>(buffer_->mutable_data()) + row * row_bytes_;
  }
  Origin At(int64_t row, int64_t cell) {
    return static_cast<Origin>(Row(row)[cell / 4] >> (cell % 4 * 2) & 3);
  }

 private:
  BackPointers(std::shared_ptr<Buffer> buffer, int64_t row_bytes)
      : buffer_(std::move(buffer)), row_bytes_(row_bytes) {}
  std::shared_ptr<Buffer> buffer_;
  int64_t row_bytes_;
};

std::vector<ClassicStep> OneSided(int64_t rows, int64_t columns) {
  std::vector<ClassicStep> steps;
  for (int64_t i = 0; i < rows; ++i) {
    steps.push_back({i, -1});
  }
  for (int64_t j = 0; j < columns; ++j) {
    steps.push_back({-1, j});
  }
  return steps;
}

}  // namespace

absl::StatusOr<std::vector<ClassicStep>> AlignClassic(absl::Span<const ClassicRow> left,
                                                      absl::Span<const ClassicRow> right) {
  const int64_t n = static_cast<int64_t>(left.size());
  const int64_t m = static_cast<int64_t>(right.size());
  if (n == 0 || m == 0) {
    return OneSided(n, m);
  }
  const int64_t lag = std::max<int64_t>(50, std::abs(m - n) + 1);
  const ClassicDistances distance(left, right);
  OC_ASSIGN_OR_RETURN(BackPointers origins, BackPointers::Allocate(n, m, lag));

  // Costs of a row and of the row above it; column j is at j + 1. Columns right of the band's end
  // are kNowhere in both, since the end never moves to the left.
  std::vector<int64_t> above(static_cast<size_t>(m) + 1, kNowhere);
  std::vector<int64_t> current(static_cast<size_t>(m) + 1, kNowhere);
  above[0] = 0;  // (-1, -1), the only cell outside the streams
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = std::max<int64_t>(0, i - lag);
    const int64_t end = std::min(m, i + lag);
    uint8_t* origin_row = origins.Row(i);
    uint8_t packed = 0;
    int64_t to_the_left = kNowhere;
    for (int64_t j = begin; j < end; ++j) {
      const size_t column = static_cast<size_t>(j);
      int64_t cost = above[column] + distance(static_cast<size_t>(i), column);
      int origin = kPair;
      if (above[column + 1] + kAlone < cost) {
        cost = above[column + 1] + kAlone;
        origin = kAbove;
      }
      if (to_the_left + kAlone < cost) {
        cost = to_the_left + kAlone;
        origin = kLeft;
      }
      current[column + 1] = cost;
      to_the_left = cost;
      const int64_t cell = j - begin;
      packed = static_cast<uint8_t>(packed | origin << (cell % 4 * 2));
      if (cell % 4 == 3) {
        origin_row[cell / 4] = packed;
        packed = 0;
      }
    }
    if ((end - begin) % 4 != 0) {
      origin_row[(end - begin) / 4] = packed;
    }
    std::swap(above, current);
    // No cell (i, -1) exists. Columns left of the next row's band are not read.
    above[0] = kNowhere;
  }

  std::vector<ClassicStep> steps;
  for (int64_t i = n - 1, j = m - 1; i >= 0 && j >= 0;) {
    steps.push_back({i, j});
    const Origin origin = origins.At(i, j - std::max<int64_t>(0, i - lag));
    i -= origin != kLeft ? 1 : 0;
    j -= origin != kAbove ? 1 : 0;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace onnxcmp
