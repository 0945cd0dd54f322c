#include "tools/classic/classic_distance.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {
namespace {

// Limit of distances: the classic table has unbounded integers, but no sizes in memory come near
// this.
constexpr int64_t kFarthest = int64_t{1} << 53;
// Entries of the table of classes: 32 MB.
constexpr size_t kMaxTable = size_t{1} << 22;

bool IsCommonFloat(absl::string_view dtype) {
  return dtype == "float16" || dtype == "float32" || dtype == "float64";
}

int64_t DTypeDistance(absl::string_view left, absl::string_view right) {
  if (left == right) {
    return 0;
  }
  return IsCommonFloat(left) && IsCommonFloat(right) ? 2 : 10;
}

int64_t Clamped(__int128 value) {
  return value > kFarthest ? kFarthest : static_cast<int64_t>(value);
}

int64_t Difference(int64_t left, int64_t right) {
  const __int128 difference = static_cast<__int128>(left) - right;
  return Clamped(difference < 0 ? -difference : difference);
}

// The product of the sizes, clamped on the way.
int64_t Product(const std::vector<ClassicDim>& shape) {
  __int128 product = 1;
  for (const ClassicDim& dim : shape) {
    if (dim.value == 0) {
      return 0;
    }
    product = std::clamp<__int128>(product * dim.value, -kFarthest, kFarthest);
  }
  return static_cast<int64_t>(product);
}

bool HasSymbol(const std::vector<ClassicDim>& shape) {
  return std::any_of(shape.begin(), shape.end(),
                     [](const ClassicDim& dim) { return !dim.symbol.empty(); });
}

// 100 if one is absent. Without symbols the difference of the products, plus 100 for different
// ranks or the differences of the dimensions. With symbols 100 for different ranks, else the
// differences of the dimensions, where an unequal pair with a symbol counts 50.
int64_t ShapeDistance(const std::optional<std::vector<ClassicDim>>& left,
                      const std::optional<std::vector<ClassicDim>>& right) {
  if (left == right) {
    return 0;
  }
  if (!left.has_value() || !right.has_value()) {
    return 100;
  }
  const bool symbols = HasSymbol(*left) || HasSymbol(*right);
  if (symbols && left->size() != right->size()) {
    return 100;
  }
  __int128 distance = symbols ? 0 : Difference(Product(*left), Product(*right));
  if (left->size() != right->size()) {
    return Clamped(distance + 100);
  }
  for (size_t axis = 0; axis < left->size(); ++axis) {
    const ClassicDim& a = (*left)[axis];
    const ClassicDim& b = (*right)[axis];
    if (a == b) {
      continue;
    }
    distance += a.symbol.empty() && b.symbol.empty() ? Difference(a.value, b.value) : 50;
  }
  return Clamped(distance);
}

int64_t ClassDistance(const ClassicRow& left, const ClassicRow& right) {
  return Clamped(static_cast<__int128>(left.kind != right.kind ? 1000 : 0) +
                 DTypeDistance(left.dtype, right.dtype) + ShapeDistance(left.shape, right.shape) +
                 (left.op_type != right.op_type ? 10 : 0));
}

// A text that is equal for two rows if and only if they are of one class.
std::string ClassKey(const ClassicRow& row) {
  std::string key = absl::StrCat(static_cast<int>(row.kind), ",", row.dtype, ",",
                                 row.op_type.size(), ",", row.op_type);
  if (row.shape.has_value()) {
    for (const ClassicDim& dim : *row.shape) {
      absl::StrAppend(&key, ",", dim.value, ",", dim.symbol.size(), ",", dim.symbol);
    }
    absl::StrAppend(&key, ";");
  }
  return key;
}

// The class of each row, and a row of each class.
std::vector<uint32_t> Classify(absl::Span<const ClassicRow> rows,
                               std::vector<const ClassicRow*>* examples) {
  absl::flat_hash_map<std::string, uint32_t> numbers;
  std::vector<uint32_t> classes;
  classes.reserve(rows.size());
  for (const ClassicRow& row : rows) {
    const auto [it, added] =
        numbers.try_emplace(ClassKey(row), static_cast<uint32_t>(numbers.size()));
    if (added) {
      examples->push_back(&row);
    }
    classes.push_back(it->second);
  }
  return classes;
}

std::vector<uint32_t> PackLetters(absl::Span<const ClassicRow> rows) {
  std::vector<uint32_t> packed(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(&packed[i], rows[i].letters.data(), sizeof(uint32_t));
  }
  return packed;
}

}  // namespace

int64_t ClassicDistance(const ClassicRow& left, const ClassicRow& right) {
  int64_t distance = ClassDistance(left, right);
  for (size_t i = 0; i < left.letters.size(); ++i) {
    distance += std::abs(left.letters[i] - right.letters[i]);
  }
  return distance;
}

ClassicDistances::ClassicDistances(absl::Span<const ClassicRow> left,
                                   absl::Span<const ClassicRow> right)
    : left_rows_(left),
      right_rows_(right),
      left_letters_(PackLetters(left)),
      right_letters_(PackLetters(right)) {
  std::vector<const ClassicRow*> left_examples;
  std::vector<const ClassicRow*> right_examples;
  left_class_ = Classify(left, &left_examples);
  right_class_ = Classify(right, &right_examples);
  right_classes_ = right_examples.size();
  if (left_examples.size() * right_classes_ > kMaxTable) {
    return;
  }
  table_.reserve(left_examples.size() * right_classes_);
  for (const ClassicRow* a : left_examples) {
    for (const ClassicRow* b : right_examples) {
      table_.push_back(ClassDistance(*a, *b));
    }
  }
}

}  // namespace onnxcmp
