#include "compare/pictures/value_picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/element_reader.h"
#include "record/differences/element_text.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr int64_t kSide = 32;

constexpr int64_t kMostCells = 1024;  // per slice

struct Effort {
  int64_t slices;
  // The elements counted in larger tensors are spread over all of them.
  int64_t counted;
  int64_t of_slice;
};

// Pairs that agree are most of them and seldom looked at: they get a part of the time.
constexpr Effort EffortFor(bool agree) {
  return agree ? Effort{2, int64_t{1} << 13, int64_t{1} << 13}
               : Effort{3, int64_t{1} << 15, int64_t{1} << 14};
}

// "[0,12,3]" as a row-major index; nothing if it is none of this shape.
std::optional<int64_t> IndexFrom(absl::string_view text, const Shape& shape) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  const std::vector<absl::string_view> parts =
      text.empty() ? std::vector<absl::string_view>() : absl::StrSplit(text, ',');
  if (parts.size() != shape.size()) return std::nullopt;
  int64_t index = 0;
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    int64_t at = 0;
    if (!absl::SimpleAtoi(parts[axis], &at) || at < 0 || at >= shape[axis]) return std::nullopt;
    index = index * shape[axis] + at;
  }
  return index;
}

// The greater, the more a pair of elements is to be seen.
double Weight(double left, double right) {
  if (left == right) return -1;
  const double difference = std::abs(left - right);
  if (std::isfinite(difference)) return difference;
  return std::isnan(left) && std::isnan(right) ? -1 : std::numeric_limits<double>::infinity();
}

class Painter {
 public:
  Painter(const Tensor& left, const Tensor& right, bool agree, ValuePicture* picture)
      : left_(left),
        right_(right),
        shape_(left.shape()),
        effort_(EffortFor(agree)),
        picture_(*picture) {
    picture_.elements = left.num_elements();
    const int rank = left.rank();
    picture_.columns = rank > 0 ? left.dim(rank - 1) : 1;
    picture_.rows = rank > 1 ? left.dim(rank - 2) : 1;
    picture_.all_slices = picture_.elements / (picture_.rows * picture_.columns);
    picture_.cell_rows = std::min(picture_.rows, kSide);
    picture_.cell_columns = std::min(picture_.columns, kMostCells / picture_.cell_rows);
    picture_.cell_rows = std::min(picture_.rows, kMostCells / picture_.cell_columns);
  }

  void Count() {
    DecadeCounter counter;
    const int64_t strips = (picture_.elements + kNumberStrip - 1) / kNumberStrip;
    const int64_t step = std::max<int64_t>(1, strips / (effort_.counted / kNumberStrip));
    for (int64_t strip = 0; strip < strips; strip += step) {
      const int64_t count = Read(strip * kNumberStrip, kNumberStrip, picture_.elements);
      for (int64_t i = 0; i < count; ++i) counter.Add(Ours(i), Theirs(i));
      picture_.counted += count;
    }
    picture_.equal = counter.equal();
    picture_.not_finite = counter.not_finite();
    picture_.decades = counter.decades();
  }

  void Paint(std::optional<int64_t> farthest) {
    const int64_t size = picture_.rows * picture_.columns;
    const int64_t first = farthest.value_or(0) / size;
    std::vector<int64_t> chosen = {first};
    for (int64_t i = 0; i < effort_.slices; ++i) {
      if (static_cast<int64_t>(chosen.size()) == effort_.slices) break;
      const int64_t slice = i * picture_.all_slices / effort_.slices;
      if (std::find(chosen.begin(), chosen.end(), slice) == chosen.end()) chosen.push_back(slice);
    }
    for (const int64_t slice : chosen) {
      PaintSlice(slice, farthest.has_value() && slice == first
                            ? std::optional<int64_t>(*farthest - first * size)
                            : std::nullopt);
    }
  }

 private:
  double Ours(int64_t i) const { return ours_[static_cast<size_t>(i)]; }
  double Theirs(int64_t i) const { return theirs_[static_cast<size_t>(i)]; }

  // As many elements as there are before `end`; returns their number.
  int64_t Read(int64_t first, int64_t count, int64_t end) {
    count = std::min(count, end - first);
    ours_.resize(static_cast<size_t>(count));
    theirs_.resize(static_cast<size_t>(count));
    left_.Read(first, count, ours_.data());
    right_.Read(first, count, theirs_.data());
    return count;
  }

  std::string PlaceOf(int64_t slice) const {
    if (shape_.size() < 3) return "";
    return IndexText(Shape(shape_.begin(), shape_.end() - 2), slice);
  }

  void PaintSlice(int64_t slice, std::optional<int64_t> farthest) {
    PictureSlice& painted = picture_.slices.emplace_back();
    painted.at = PlaceOf(slice);
    const int64_t rows = picture_.rows;
    const int64_t columns = picture_.columns;
    const auto cells = static_cast<size_t>(picture_.cell_rows * picture_.cell_columns);
    painted.left.resize(cells);
    painted.right.resize(cells);
    weights_.assign(cells, -2);
    if (cell_of_column_.empty()) {
      for (int64_t i = 0; i < columns; ++i) {
        cell_of_column_.push_back(static_cast<size_t>(i * picture_.cell_columns / columns));
      }
    }
    const auto see_row = [&](int64_t row, int64_t begin, int64_t end) {
      const int64_t first = (slice * rows + row) * columns;
      const auto cell_row =
          static_cast<size_t>(row * picture_.cell_rows / rows * picture_.cell_columns);
      for (int64_t at = begin; at < end; at += kNumberStrip) {
        const int64_t count = Read(first + at, kNumberStrip, first + end);
        for (int64_t i = 0; i < count; ++i) {
          const size_t cell = cell_row + cell_of_column_[static_cast<size_t>(at + i)];
          const double weight = Weight(Ours(i), Theirs(i));
          if (weight <= weights_[cell]) continue;
          weights_[cell] = weight;
          painted.left[cell] = Ours(i);
          painted.right[cell] = Theirs(i);
        }
      }
    };
    // Each row of cells is seen: of many rows in it some.
    const int64_t step = std::clamp<int64_t>(rows * columns / effort_.of_slice, 1,
                                             std::max<int64_t>(1, rows / picture_.cell_rows));
    for (int64_t row = 0; row < rows; row += step) see_row(row, 0, columns);
    for (int64_t cell = 0; step > 1 && cell < picture_.cell_rows; ++cell) {
      const int64_t row = (cell * rows + picture_.cell_rows - 1) / picture_.cell_rows;
      if (row % step != 0) see_row(row, 0, columns);
    }
    if (farthest.has_value()) {
      see_row(*farthest / columns, *farthest % columns, *farthest % columns + 1);
    }
  }

  const ElementReader left_, right_;
  const Shape& shape_;
  const Effort effort_;
  ValuePicture& picture_;
  std::vector<double> ours_, theirs_;
  std::vector<double> weights_;  // by cell
  std::vector<size_t> cell_of_column_;
};

bool IsRealNumber(DType dtype) { return dtype != DType::kString && !IsComplex(dtype); }

}  // namespace

std::shared_ptr<const ValuePicture> PictureOf(const Value& left, const Value& right,
                                              const TensorDifference& difference) {
  if (!IsMeasurable(left) || !IsMeasurable(right)) return nullptr;
  absl::StatusOr<Tensor> ours = left.tensor().InMemory(nullptr);
  absl::StatusOr<Tensor> theirs = right.tensor().InMemory(nullptr);
  if (!ours.ok() || !theirs.ok() || ours->num_elements() != theirs->num_elements() ||
      ours->num_elements() == 0 || !IsRealNumber(ours->dtype()) || !IsRealNumber(theirs->dtype())) {
    return nullptr;
  }
  auto picture = std::make_shared<ValuePicture>();
  Painter painter(*ours, *theirs, difference.values.agree(), picture.get());
  painter.Count();
  painter.Paint(IndexFrom(difference.values.max_absolute_at, ours->shape()));
  return picture;
}

std::shared_ptr<const ValuePicture> PictureAlbum::Take(const Value& left, const Value& right,
                                                       const TensorDifference& difference) {
  if (room_ <= 0) return nullptr;
  std::shared_ptr<const ValuePicture> picture = PictureOf(left, right, difference);
  if (picture == nullptr) return nullptr;
  room_ -= static_cast<int64_t>(sizeof(ValuePicture));
  for (const PictureSlice& slice : picture->slices) {
    room_ -= static_cast<int64_t>((slice.left.size() + slice.right.size()) * sizeof(double));
  }
  return picture;
}

}  // namespace onnxcmp
