// Arrays as programs without NumPy write them to JSON: numbers in lists of lists, or a flat list
// beside its type and shape.
//
//   {NAME: [[1, 2], [3, 4]], NAME: {"type": "float32", "dims": [2, 2], "data": [1, 2, 3, 4]}}
//   [{"name": NAME, "shape": [2, 2], "data": [1, 2, 3, 4]}, ...]
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/value_folder.h"

namespace onnxcmp {
namespace {

using ArrayJson = nlohmann::ordered_json;

constexpr size_t kMostAxes = 16;

// The member of the first of these names; null if there is none.
const ArrayJson* MemberOf(const ArrayJson& object, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto it = object.is_object() ? object.find(name) : object.end();
    if (it != object.end()) return &*it;
  }
  return nullptr;
}

// The numbers of nested lists, and their shape.
class NumbersInLists {
 public:
  // False if lists are uneven or hold anything else. Programs write typed arrays as objects with
  // indices as names, and numbers that JSON lacks as null or in words.
  bool Add(const ArrayJson& one, size_t depth = 0) {
    if (one.is_structured() && depth < kMostAxes) {
      const auto size = static_cast<int64_t>(one.size());
      if (shape_.size() == depth && elements_.empty()) shape_.push_back(size);
      if (depth >= shape_.size() || shape_[depth] != size) return false;
      size_t place = 0;
      for (const auto& item : one.items()) {
        if (one.is_object() && item.key() != absl::StrCat(place)) return false;
        ++place;
        if (!Add(item.value(), depth + 1)) return false;
      }
      return true;
    }
    const std::optional<double> number = NumberOf(one);
    if (!number.has_value() || depth != shape_.size()) return false;
    elements_.push_back(*number);
    integers_.push_back(one.is_number_integer() ? one.get<int64_t>() : 0);
    whole_ = whole_ && one.is_number_integer();
    truth_ = truth_ && one.is_boolean();
    return true;
  }

  absl::StatusOr<Tensor> Made(std::optional<DType> dtype, std::optional<Shape> shape) const {
    if (!dtype.has_value()) {
      dtype = elements_.empty() ? DType::kFloat
              : truth_          ? DType::kBool
              : whole_          ? DType::kInt64
                                : DType::kFloat;
    }
    int64_t count = 1;
    for (const int64_t size : shape.value_or(shape_)) {
      if (size < 0 || (size > 0 && count > std::numeric_limits<int64_t>::max() / size)) count = -1;
      if (count < 0) break;
      count *= size;
    }
    if (count != std::ssize(elements_)) {
      return absl::InvalidArgumentError("has other elements than its shape");
    }
    const Shape& made = shape.has_value() ? *shape : shape_;
    OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(*dtype, made));
    std::byte* const to = tensor.mutable_raw_data();
    if (whole_ && IsInteger(*dtype)) {
      StoreElements(*dtype, integers_.data(), count, to, 0);
    } else {
      StoreElements(*dtype, elements_.data(), count, to, 0);
    }
    return tensor;
  }

 private:
  static std::optional<double> NumberOf(const ArrayJson& one) {
    if (one.is_number()) return one.get<double>();
    if (one.is_boolean()) return one.get<bool>() ? 1 : 0;
    if (one.is_null() || one == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (one == "Infinity") return std::numeric_limits<double>::infinity();
    if (one == "-Infinity") return -std::numeric_limits<double>::infinity();
    return std::nullopt;
  }

  std::vector<double> elements_;
  std::vector<int64_t> integers_;
  Shape shape_;
  bool whole_ = true;
  bool truth_ = true;
};

std::optional<DType> TypeCalled(const ArrayJson* type) {
  if (type == nullptr || !type->is_string()) return std::nullopt;
  const std::string name = absl::AsciiStrToLower(type->get<std::string>());
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    const bool is = NumpyName(dtype) == name || DTypeName(dtype) == name;
    if (is && dtype != DType::kUndefined && dtype != DType::kString) return dtype;
  }
  return std::nullopt;
}

// Nothing if it is no array at all.
absl::StatusOr<std::optional<Tensor>> ArrayOf(const ArrayJson& one) {
  const ArrayJson* const data = MemberOf(one, {"data", "values", "value", "cpuData"});
  if (data == nullptr && (!one.is_array() || one.empty() || one.front().is_object())) {
    return std::nullopt;
  }
  std::optional<Shape> shape;
  if (const ArrayJson* const sizes = MemberOf(one, {"dims", "shape"}); sizes != nullptr) {
    shape.emplace();
    for (const ArrayJson& size : *sizes) {
      if (!size.is_number_integer()) return absl::InvalidArgumentError("has no shape of integers");
      shape->push_back(size.get<int64_t>());
    }
  }
  NumbersInLists numbers;
  if (!numbers.Add(data != nullptr ? *data : one)) {
    return absl::InvalidArgumentError("is no even list of numbers");
  }
  OC_ASSIGN_OR_RETURN(Tensor tensor,
                      numbers.Made(TypeCalled(MemberOf(one, {"type", "dtype"})), shape));
  return std::optional(std::move(tensor));
}

// Adds the arrays of an object, also of those in it ("inputs", "outputs"), and those of a list of
// which each has its name in it. Texts and single numbers tell about the run.
absl::Status AddArrays(const ArrayJson& of, size_t depth, std::vector<ValueInMemory>* values) {
  for (const auto& item : of.items()) {
    const ArrayJson& one = item.value();
    const ArrayJson* const called = of.is_array() ? MemberOf(one, {"name"}) : nullptr;
    if (of.is_array() && (called == nullptr || !called->is_string())) break;
    const std::string name = called != nullptr ? called->get<std::string>() : item.key();
    absl::StatusOr<std::optional<Tensor>> array = ArrayOf(one);
    if (!array.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(Quoted(name), " ", array.status().message()));
    }
    if (array->has_value()) {
      ValueInMemory& value = values->emplace_back();
      value.result.name = name;
      value.value = Value(**std::move(array));
    } else if (one.is_structured() && depth < kMostAxes) {
      OC_RETURN_IF_ERROR(AddArrays(one, depth + 1, values));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RecordedSet>> OpenArrayJson(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::string_view bytes = file->bytes();
  const ArrayJson root = ArrayJson::parse(bytes.begin(), bytes.end(), nullptr, false);
  std::vector<ValueInMemory> values;
  if (const absl::Status status = AddArrays(root, 0, &values); !status.ok()) {
    return Annotate(status, OneLine(path));
  }
  std::vector<RecordedSet> sets;
  if (values.empty()) return sets;
  sets.push_back({"", RecordValuesInMemory(std::move(values), /*described=*/false)});
  return sets;
}

}  // namespace onnxcmp
