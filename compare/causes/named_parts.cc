#include "compare/causes/named_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kMicrosoft = "com.microsoft";
constexpr absl::string_view kLstm = "i,o,f,c";
constexpr absl::string_view kGru = "z,r,h";
constexpr absl::string_view kAttention = "q,k,v";

// How an operator divides a constant input: along `axis` it has `sets` times the parts that `names`
// lists; if `directions`, axis 0 has a direction each.
struct Division {
  absl::string_view op_type, domain;
  size_t slot;
  size_t axis;
  absl::string_view names;
  size_t sets = 1;
  bool directions = true;
};
constexpr Division kDivisions[] = {
    {"LSTM", "", 1, 1, kLstm},
    {"LSTM", "", 2, 1, kLstm},
    {"LSTM", "", 3, 1, kLstm, 2},
    {"LSTM", "", 7, 1, "i,o,f"},
    {"GRU", "", 1, 1, kGru},
    {"GRU", "", 2, 1, kGru},
    {"GRU", "", 3, 1, kGru, 2},
    {"RNN", "", 1, 1, "h"},
    {"RNN", "", 2, 1, "h"},
    {"RNN", "", 3, 1, "h", 2},
    {"DynamicQuantizeLSTM", kMicrosoft, 1, 2, kLstm},
    {"DynamicQuantizeLSTM", kMicrosoft, 2, 2, kLstm},
    {"DynamicQuantizeLSTM", kMicrosoft, 3, 1, kLstm, 2},
    {"Attention", kMicrosoft, 1, 1, kAttention, 1, false},
    {"Attention", kMicrosoft, 2, 0, kAttention, 1, false},
    {"QAttention", kMicrosoft, 1, 1, kAttention, 1, false},
    {"QAttention", kMicrosoft, 2, 0, kAttention, 1, false},
    {"MultiHeadAttention", kMicrosoft, 3, 0, kAttention, 1, false},
};

// Orders of frameworks, in ONNX's names: PyTorch calls c of LSTM g, and h of GRU n.
struct KnownOrder {
  absl::string_view names, order, whose;
};
constexpr KnownOrder kKnownOrders[] = {{kLstm, "i,f,c,o", "PyTorch's and Keras's"},
                                       {kLstm, "i,c,f,o", "TensorFlow's BasicLSTMCell's"},
                                       {kGru, "r,z,h", "PyTorch's"}};

std::string WithOwner(absl::string_view names, const std::string& order) {
  for (const KnownOrder& known : kKnownOrders) {
    if (known.names == names && known.order == order) {
      return absl::StrCat(order, " (", known.whose, ")");
    }
  }
  return order;
}

// A place among the parts of one set.
struct Place {
  size_t direction = 0;
  size_t part = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// The parts of one direction of one set, and where the left has each; nothing where it is nowhere.
struct Line {
  size_t direction = 0;
  std::vector<std::optional<Place>> from;

  // The parts that are not in their place.
  std::vector<size_t> Moved() const {
    std::vector<size_t> moved;
    for (size_t part = 0; part < from.size(); ++part) {
      if (from[part] != Place{direction, part}) moved.push_back(part);
    }
    return moved;
  }
  // The left's direction that all parts are from; nothing if there are several, or none.
  std::optional<size_t> Direction() const {
    for (const std::optional<Place>& place : from) {
      if (!place.has_value() || place->direction != from.front()->direction) return std::nullopt;
    }
    return from.front()->direction;
  }
  // The left's parts in the right's order. All must be known.
  std::vector<size_t> Order() const {
    std::vector<size_t> order;
    order.reserve(from.size());
    for (const std::optional<Place>& place : from) order.push_back(place->part);
    return order;
  }
};

class PartsOf {
 public:
  PartsOf(const Division& division, const Tensor& left, const Tensor& right)
      : names_(absl::StrSplit(division.names, ',')),
        shape_(left.shape()),
        axis_(division.axis),
        sets_(division.sets),
        directions_(division.directions ? static_cast<size_t>(shape_[0]) : 1),
        left_(ElementsOf(left)),
        right_(ElementsOf(right)) {
    least_ = 16 * CoarserEpsilon(left.dtype(), right.dtype()) *
             std::min(ScaleOf(left_), ScaleOf(right_));
  }

  bool Divides() const {
    return static_cast<size_t>(shape_[axis_]) % (sets_ * names_.size()) == 0 && !left_.empty();
  }
  size_t directions() const { return directions_; }
  const std::vector<std::string>& names() const { return names_; }

  // The lines that differ. Nothing if a part may be from two places.
  std::optional<std::vector<Line>> Differing() const {
    std::vector<Line> lines;
    for (size_t set = 0; set < sets_; ++set) {
      for (size_t direction = 0; direction < directions_; ++direction) {
        Line line = {direction, {}};
        for (size_t part = 0; part < names_.size(); ++part) {
          const std::vector<Place> places = PlacesOf(set, {direction, part});
          if (places.size() > 1) return std::nullopt;
          line.from.push_back(places.empty() ? std::nullopt : std::optional<Place>(places[0]));
        }
        if (!line.Moved().empty()) lines.push_back(std::move(line));
      }
    }
    return lines;
  }

 private:
  // Where the left has a part of the right: its own place alone if it is there.
  std::vector<Place> PlacesOf(size_t set, const Place& right) const {
    if (IsSame(set, right, right)) return {right};
    std::vector<Place> places;
    for (size_t direction = 0; direction < directions_; ++direction) {
      for (size_t part = 0; part < names_.size(); ++part) {
        const Place left = {direction, part};
        if (left != right && IsSame(set, left, right)) places.push_back(left);
      }
    }
    return places;
  }
  bool IsSame(size_t set, const Place& left, const Place& right) const {
    const auto product = [&](size_t begin, size_t end) {
      return std::accumulate(
          shape_.begin() + static_cast<std::ptrdiff_t>(begin),
          shape_.begin() + static_cast<std::ptrdiff_t>(end), size_t{1},
          [](size_t all, int64_t size) { return all * static_cast<size_t>(size); });
    };
    const size_t rows = product(0, axis_) / directions_;
    const size_t length = product(axis_, shape_.size());
    const size_t part = length / (sets_ * names_.size());
    for (size_t row = 0; row < rows; ++row) {
      const auto begin = [&](const Place& place) {
        return (place.direction * rows + row) * length + (set * names_.size() + place.part) * part;
      };
      const size_t ours = begin(left);
      const size_t theirs = begin(right);
      for (size_t i = 0; i < part; ++i) {
        if (!(std::abs(left_[ours + i] - right_[theirs + i]) <= least_)) return false;
      }
    }
    return true;
  }

  std::vector<std::string> names_;
  Shape shape_;
  size_t axis_;
  size_t sets_;
  size_t directions_;
  std::vector<double> left_, right_;
  double least_ = 0;
};

std::string NamesInOrder(const std::vector<size_t>& order, const std::vector<std::string>& names) {
  return absl::StrJoin(order, ",", [&](std::string* to, size_t part) { to->append(names[part]); });
}

// "i,o,f,c | i,f,c,o (PyTorch's)": the left's order and the right's, one of which is ONNX's.
std::string OrderText(absl::string_view names, const std::vector<std::string>& parts,
                      const std::vector<size_t>& order) {
  const std::string right = NamesInOrder(order, parts);
  std::vector<size_t> inverse(order.size(), order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = i;
  // A part that the right has twice is at the cost of another.
  if (absl::c_linear_search(inverse, order.size())) return absl::StrCat(names, " | ", right);
  const std::string left = NamesInOrder(inverse, parts);
  const bool of_left = WithOwner(names, right) == right && WithOwner(names, left) != left;
  return of_left ? absl::StrCat(WithOwner(names, left), " | ", names)
                 : absl::StrCat(names, " | ", WithOwner(names, right));
}

std::vector<size_t> InPlace(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  return order;
}

std::string DirectionName(size_t direction) { return direction == 0 ? "forward" : "backward"; }

// The directions that the lines are of, " of the backward direction"; empty if of all.
std::string OfDirection(const std::vector<Line>& lines, size_t directions) {
  const size_t first = lines.front().direction;
  const bool one = absl::c_all_of(lines, [&](const Line& l) { return l.direction == first; });
  return one && directions > 1 ? absl::StrCat(" of the ", DirectionName(first), " direction") : "";
}

// Parts in another order, of the same direction or of the other.
std::string MovedText(const std::vector<Line>& lines, const PartsOf& parts,
                      const Division& division) {
  const std::vector<size_t> order = lines.front().Order();
  bool crossed = true;
  bool straight = true;
  for (const Line& line : lines) {
    if (line.Order() != order) return "";
    crossed = crossed && line.Direction() != line.direction;
    straight = straight && line.Direction() == line.direction;
  }
  const std::string of = OfDirection(lines, parts.directions());
  const std::string what = division.names == kAttention ? "q, k and v" : "the gates";
  std::string moved = order == InPlace(order.size())
                          ? ""
                          : absl::StrCat(what, of, " are in another order: ",
                                         OrderText(division.names, parts.names(), order));
  if (straight) return moved;
  if (!crossed || parts.directions() != 2) return "";
  const size_t first = lines.front().direction;
  return absl::StrCat(of.empty() ? "the directions are exchanged"
                                 : absl::StrCat("the ", DirectionName(first),
                                                " direction has the left's values of the ",
                                                DirectionName(1 - first), " one"),
                      moved.empty() ? "" : ", and ", moved);
}

// Parts that the left has nowhere, all others in their place.
std::string ChangedText(const std::vector<Line>& lines, const PartsOf& parts,
                        const Division& division) {
  std::vector<size_t> changed;
  for (const Line& line : lines) {
    for (const size_t part : line.Moved()) {
      if (line.from[part].has_value()) return "";
      changed.push_back(part);
    }
  }
  absl::c_sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  const std::string of = OfDirection(lines, parts.directions());
  if (changed.size() == parts.names().size()) {
    return of.empty() ? "" : absl::StrCat("they differ only in the values", of);
  }
  const std::string what = division.names == kAttention ? ""
                           : changed.size() == 1        ? "gate "
                                                        : "gates ";
  return absl::StrCat("they differ only in ", what, NamesInOrder(changed, parts.names()), of);
}

}  // namespace

std::string NamedPartsText(const StreamNode& reader, size_t slot, const Tensor& left,
                           const Tensor& right) {
  const auto* const division = absl::c_find_if(kDivisions, [&](const Division& row) {
    return row.op_type == reader.op_type && row.domain == reader.domain && row.slot == slot;
  });
  if (division == std::end(kDivisions) || left.shape() != right.shape() ||
      left.shape().size() <= division->axis || !SameKindOfNumber(left.dtype(), right.dtype())) {
    return "";
  }
  const PartsOf parts(*division, left, right);
  if (!parts.Divides()) return "";
  const std::optional<std::vector<Line>> lines = parts.Differing();
  if (!lines.has_value() || lines->empty()) return "";
  const bool found =
      absl::c_all_of(*lines, [](const Line& line) { return line.Direction().has_value(); });
  return found ? MovedText(*lines, parts, *division) : ChangedText(*lines, parts, *division);
}

}  // namespace onnxcmp
