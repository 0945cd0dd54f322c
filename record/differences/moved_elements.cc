#include "record/differences/moved_elements.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostAxes = 4;  // tensors of higher rank are not tried in all orders
constexpr int64_t kMostSlices = 4096;

// True if elements are distinct enough for an order to be seen: booleans, labels, one-hot rows and
// weights of three levels are in another order by chance.
bool ShowOrder(const std::vector<double>& elements) {
  constexpr size_t kDistinct = 12;
  absl::flat_hash_set<double> distinct;
  for (const double element : elements) {
    if (!std::isnan(element)) distinct.insert(element);
    if (distinct.size() >= kDistinct) return true;
  }
  return 2 * distinct.size() > elements.size();
}

class Mover {
 public:
  Mover(const ShapedElements& left, const ShapedElements& right, double least)
      : left_(left), right_(right), least_(least) {}

  std::string Text() const {
    if (std::string text = Transposed(); !text.empty()) return text;
    if (left_.shape != right_.shape) return "";
    for (size_t axis = 0; axis < left_.shape.size(); ++axis) {
      if (left_.shape[axis] < 2) continue;
      for (const auto& text : {Shifted(axis), Permuted(axis)}) {
        if (!text.empty()) return text;
      }
    }
    return HasSameElements() ? "the same elements in another order" : "";
  }

 private:
  bool Same(double a, double b) const {
    return a == b || std::abs(a - b) <= least_ || (std::isnan(a) && std::isnan(b));
  }

  std::string Transposed() const {
    if (left_.shape.size() > kMostAxes || left_.shape.size() != right_.shape.size()) return "";
    std::vector<size_t> order(left_.shape.size());
    std::iota(order.begin(), order.end(), size_t{0});
    while (std::next_permutation(order.begin(), order.end())) {
      if (!IsTransposed(order)) continue;
      std::vector<size_t> moved;
      for (size_t axis = 0; axis < order.size(); ++axis) {
        if (order[axis] != axis) moved.push_back(axis);
      }
      if (moved.size() == 2) {
        return absl::StrCat("right = left with axes ", moved[0], " and ", moved[1], " exchanged");
      }
      return absl::StrCat("right = left transposed by [", absl::StrJoin(order, ","), "]");
    }
    return "";
  }

  // True if the right's axis i is the left's axis order[i], for all elements.
  bool IsTransposed(const std::vector<size_t>& order) const {
    const size_t rank = order.size();
    std::vector<size_t> strides(rank, 1);
    for (size_t axis = rank; axis-- > 1;) {
      strides[axis - 1] = strides[axis] * static_cast<size_t>(left_.shape[axis]);
    }
    bool moves = false;  // moving an axis of one element changes nothing
    size_t last = 0;
    for (size_t i = 0; i < rank; ++i) {
      if (right_.shape[i] != left_.shape[order[i]]) return false;
      if (right_.shape[i] == 1) continue;
      moves = moves || order[i] < last;
      last = order[i];
    }
    if (!moves) return false;
    std::vector<int64_t> index(rank);
    size_t from = 0;
    for (const double b : right_.elements) {
      if (!Same(left_.elements[from], b)) return false;
      for (size_t i = rank; i-- > 0;) {
        from += strides[order[i]];
        if (++index[i] < right_.shape[i]) break;
        from -= strides[order[i]] * static_cast<size_t>(right_.shape[i]);
        index[i] = 0;
      }
    }
    return true;
  }

  int64_t CountBefore(size_t axis) const {
    return std::accumulate(left_.shape.begin(),
                           left_.shape.begin() + static_cast<std::ptrdiff_t>(axis), int64_t{1},
                           std::multiplies<>());
  }
  int64_t CountAfter(size_t axis) const {
    return std::accumulate(left_.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                           left_.shape.end(), int64_t{1}, std::multiplies<>());
  }

  // True if the right's slice k along an axis is the left's slice l.
  bool SameSlice(size_t axis, int64_t l, int64_t k) const {
    const int64_t count = left_.shape[axis];
    const int64_t before = CountBefore(axis);
    const int64_t behind = CountAfter(axis);
    for (int64_t outer = 0; outer < before; ++outer) {
      const auto ours = static_cast<size_t>((outer * count + l) * behind);
      const auto theirs = static_cast<size_t>((outer * count + k) * behind);
      for (size_t i = 0; i < static_cast<size_t>(behind); ++i) {
        if (!Same(left_.elements[ours + i], right_.elements[theirs + i])) return false;
      }
    }
    return true;
  }

  // Slices shifted out at one end are wrapped around to the other, or replaced by others.
  std::string Shifted(size_t axis) const {
    const int64_t count = left_.shape[axis];
    for (const int64_t by : {int64_t{1}, int64_t{-1}}) {
      if (count < 3) break;
      int64_t shifted = 0;
      bool wraps = true;
      for (int64_t k = 0; k < count; ++k) {
        const int64_t l = k - by;
        const bool inside = l >= 0 && l < count;
        const bool same = SameSlice(axis, (l + count) % count, k);
        if (inside && !same) break;
        shifted += inside ? 1 : 0;
        if (!inside) wraps = same;
      }
      if (shifted < count - 1) continue;
      return absl::StrCat("right = left ", wraps ? "rolled" : "shifted", " by ", by, " along axis ",
                          axis);
    }
    return "";
  }

  // The slices along an axis in another order: each of the right's is one of the left's.
  std::string Permuted(size_t axis) const {
    const int64_t count = left_.shape[axis];
    if (count > kMostSlices) return "";
    std::vector<bool> taken(static_cast<size_t>(count));
    std::vector<int64_t> moved;
    bool reversed = true;
    for (int64_t k = 0; k < count; ++k) {
      if (SameSlice(axis, k, k)) taken[static_cast<size_t>(k)] = true;
    }
    for (int64_t k = 0; k < count; ++k) {
      reversed = reversed && SameSlice(axis, count - 1 - k, k);
      if (SameSlice(axis, k, k)) continue;
      int64_t l = 0;
      while (l < count && (taken[static_cast<size_t>(l)] || !SameSlice(axis, l, k))) ++l;
      if (l == count) return "";
      taken[static_cast<size_t>(l)] = true;
      moved.push_back(k);
    }
    if (moved.empty()) return "";
    if (moved.size() == 2) {
      return absl::StrCat("indices ", moved[0], " and ", moved[1], " of axis ", axis,
                          " are exchanged");
    }
    if (reversed) return absl::StrCat("right = left reversed along axis ", axis);
    return absl::StrCat(moved.size(), " of the ", count, " indices of axis ", axis,
                        " are in another order");
  }

  bool HasSameElements() const {
    std::vector<double> ours = left_.elements;
    std::vector<double> theirs = right_.elements;
    // NaNs cannot be ordered.
    const auto is_nan = [](double x) { return std::isnan(x); };
    if (std::erase_if(ours, is_nan) != std::erase_if(theirs, is_nan)) return false;
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    return !ours.empty() && ours.front() != ours.back() && ours == theirs;
  }

  const ShapedElements& left_;
  const ShapedElements& right_;
  double least_;
};

}  // namespace

std::string MovedText(const ShapedElements& left, const ShapedElements& right, double least) {
  return ShowOrder(left.elements) ? Mover(left, right, least).Text() : "";
}

}  // namespace onnxcmp
