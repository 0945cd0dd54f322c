#include "generate/frames.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/base/status_macros.h"
#include "generate/state_pairs.h"
#include "generate/tensors.h"

namespace onnxcmp {
namespace {

bool IsCalledTime(const std::string& symbol) {
  const std::string lower = absl::AsciiStrToLower(symbol);
  for (const char* word : {"time", "seq", "frame", "len"}) {
    if (absl::StrContains(lower, word)) return true;
  }
  return lower == "t";
}

// The place of an element, in row-major order, as its row, its position and its place among the
// numbers of that position.
class Places {
 public:
  Places(const Shape& shape, size_t batch, std::optional<size_t> time)
      : shape_(shape), batch_(batch), time_(time) {}

  std::array<int64_t, 3> Of(int64_t element) const {
    std::array<int64_t, 3> place = {0, 0, 0};
    int64_t numbers = 1;
    for (size_t i = shape_.size(); i-- > 0;) {
      const int64_t at = element % shape_[i];
      element /= shape_[i];
      if (i == batch_) {
        place[0] = at;
      } else if (i == time_) {
        place[1] = at;
      } else {
        place[2] += at * numbers;
        numbers *= shape_[i];
      }
    }
    return place;
  }

 private:
  const Shape& shape_;
  const size_t batch_;
  const std::optional<size_t> time_;
};

}  // namespace

std::string BatchSymbolOf(const TypeInfo& type) {
  if (!type.shape.has_value() || type.shape->empty()) return "";
  for (const TypeInfo::Dim& dim : *type.shape) {
    const std::string lower = absl::AsciiStrToLower(dim.symbol);
    if (absl::StrContains(lower, "batch") || lower == "b" || lower == "n") return dim.symbol;
  }
  const std::string& first = type.shape->front().symbol;
  return IsCalledTime(first) ? "" : first;
}

std::optional<size_t> TimeAxisOf(const TypeInfo& type, size_t batch) {
  if (!type.shape.has_value()) return std::nullopt;
  const std::vector<TypeInfo::Dim>& dims = *type.shape;
  std::vector<size_t> free;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i == batch || dims[i].value.has_value()) continue;
    if (IsCalledTime(dims[i].symbol)) return i;
    free.push_back(i);
  }
  if (free.size() == 1) return free.front();
  const bool fixed = free.empty() && dims.size() == 3;
  return fixed ? std::optional<size_t>(batch == 0 ? 1 : 0) : std::nullopt;
}

absl::StatusOr<Value> FramesOf(const ValueInfo& input, const DecoderRoles& roles,
                               const TokenBlock& all, int64_t added) {
  const size_t batch = BatchAxis(input.type, roles.batch);
  Shape shape;
  int64_t numbers = 1;  // of a position
  for (size_t i = 0; i < input.type.shape->size(); ++i) {
    const std::optional<int64_t> size = (*input.type.shape)[i].value;
    if (i == batch) {
      shape.push_back(all.rows);
    } else if (i == roles.time) {
      shape.push_back(added);
    } else if (size.has_value()) {
      shape.push_back(*size);
      numbers *= *size;
    } else {
      return InputError(input.name, absl::StrCat("has an axis ", i,
                                                 " that is free, and neither the batch nor the "
                                                 "time"));
    }
  }
  std::vector<std::vector<double>> frames;  // row by row
  for (int64_t row = 0; row < all.rows; ++row) {
    for (int64_t i = all.length() - added; i < all.length(); ++i) {
      const auto at = static_cast<size_t>(row * all.length() + i);
      std::vector<double> frame(static_cast<size_t>(numbers), 0);
      RandomNumbers random(static_cast<uint64_t>(all.ids[at]) + 1);
      for (double& number : frame) number = all.counts[at] ? random.Normal() : 0;
      frames.push_back(std::move(frame));
    }
  }
  const Places places(shape, batch, roles.time);
  std::vector<double> elements(static_cast<size_t>(NumElements(shape).value_or(0)));
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto [row, position, number] = places.Of(static_cast<int64_t>(i));
    elements[i] = frames[static_cast<size_t>(row * added + position)][static_cast<size_t>(number)];
  }
  OC_ASSIGN_OR_RETURN(Tensor tensor, TensorOf(input.type.dtype, shape, elements));
  return Value(std::move(tensor));
}

absl::StatusOr<Tensor> ByPosition(const ValueInfo& output, const Tensor& result,
                                  const DecoderRoles& roles, int64_t rows, int64_t positions) {
  const Shape& shape = result.shape();
  const size_t batch = BatchAxis(output.type, roles.batch);
  if (batch >= shape.size() || shape[batch] != rows) {
    return absl::InvalidArgumentError(absl::StrCat("output `", output.name, "` has the shape ",
                                                   ShapeToString(shape), ", and its axis ", batch,
                                                   " has to be a batch of ", rows));
  }
  std::optional<size_t> time = TimeAxisOf(output.type, batch);
  if (!roles.time.has_value() || !time.has_value() || shape[*time] != positions) {
    time.reset();
    // Outputs of which nothing is declared.
    const auto fits = [&](size_t axis) { return axis != batch && shape[axis] == positions; };
    for (size_t i = 0; i < shape.size() && roles.time.has_value(); ++i) {
      if (fits(i) && !time.has_value()) time = i;
    }
  }
  OC_ASSIGN_OR_RETURN(const std::vector<double> elements, NumbersOf(result));
  const int64_t lines = time.has_value() ? positions : 1;
  const int64_t numbers =
      static_cast<int64_t>(elements.size()) / std::max<int64_t>(1, rows * lines);
  const Places places(shape, batch, time);
  std::vector<double> ordered(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    const auto [row, position, number] = places.Of(static_cast<int64_t>(i));
    ordered[static_cast<size_t>((row * lines + position) * numbers + number)] = elements[i];
  }
  return TensorOf(result.dtype(), {rows, lines, numbers}, ordered);
}

}  // namespace onnxcmp
