#include "samples/files/token_samples.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "samples/files/input_form.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::json;

// Nested arrays of numbers, row by row. False if they are no such arrays, or of unequal lengths.
bool TakeNumbers(const Json& json, size_t depth, Shape* shape, std::vector<double>* numbers) {
  if (json.is_number() || json.is_boolean()) {
    if (depth < shape->size()) return false;
    numbers->push_back(json.is_boolean() ? (json.get<bool>() ? 1 : 0) : json.get<double>());
    return true;
  }
  if (!json.is_array() || json.empty()) return false;
  const auto size = static_cast<int64_t>(json.size());
  if (depth == shape->size()) {
    if (!numbers->empty()) return false;
    shape->push_back(size);
  } else if ((*shape)[depth] != size) {
    return false;
  }
  return std::all_of(json.begin(), json.end(), [&](const Json& item) {
    return TakeNumbers(item, depth + 1, shape, numbers);
  });
}

template <typename T>
Tensor TensorOf(const Shape& shape, const std::vector<double>& numbers) {
  return Tensor::Of<T>(shape, std::vector<T>(numbers.begin(), numbers.end()));
}

absl::StatusOr<Tensor> TensorFor(const ValueInfo& input, const Shape& shape,
                                 const std::vector<double>& numbers) {
  switch (input.type.dtype) {
    case DType::kInt64:
      return TensorOf<int64_t>(shape, numbers);
    case DType::kInt32:
      return TensorOf<int32_t>(shape, numbers);
    case DType::kFloat:
      return TensorOf<float>(shape, numbers);
    default:
      return absl::UnimplementedError(absl::StrCat("a line of JSON for `", input.name, "` of ",
                                                   DTypeName(input.type.dtype),
                                                   ": give .npz files"));
  }
}

absl::StatusOr<NamedValue> ValueOf(const ValueInfo& input, const Json& json) {
  Shape shape;
  std::vector<double> numbers;
  if (!TakeNumbers(json, 0, &shape, &numbers)) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", input.name, "` has to be an array of numbers, its rows of one length"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor tensor, TensorFor(input, shape, numbers));
  OC_ASSIGN_OR_RETURN(Tensor in_rank, InRankOf(input, tensor));
  return NamedValue{input.name, std::move(in_rank), false};
}

// Of an integer input beside the tokens, by its name.
std::vector<double> NumbersBeside(const ValueInfo& input, size_t count) {
  const std::string name = absl::AsciiStrToLower(input.name);
  std::vector<double> numbers(count, absl::StrContains(name, "mask") ? 1 : 0);
  if (absl::StrContains(name, "position")) std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LinesOf(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(file->bytes(), '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    if (!text.empty()) lines.emplace_back(text);
  }
  return lines;
}

absl::StatusOr<std::vector<NamedValue>> TokensOfLine(absl::string_view line, const Graph& graph) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  std::vector<NamedValue> values;
  if (json.is_object()) {
    for (const auto& [name, item] : json.items()) {
      const ValueInfo* input = FindValueInfo(graph.inputs, name);
      if (input == nullptr) continue;  // a text, a label
      OC_ASSIGN_OR_RETURN(NamedValue value, ValueOf(*input, item));
      values.push_back(std::move(value));
    }
    if (values.empty()) {
      return absl::InvalidArgumentError("the object has none of the model's inputs");
    }
    return values;
  }
  if (!json.is_array()) {
    return absl::InvalidArgumentError("a line has to be an array of ids, or an object of arrays");
  }
  for (const ValueInfo* input : required) {
    if (!IsInteger(input->type.dtype)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "an array is for integer inputs, and `", input->name, "` is ",
          DTypeName(input->type.dtype), ": a line has to be an object of arrays by inputs' names"));
    }
    if (values.empty()) {
      OC_ASSIGN_OR_RETURN(NamedValue tokens, ValueOf(*input, json));
      values.push_back(std::move(tokens));
      continue;
    }
    const Shape& shape = values[0].value.tensor().shape();
    OC_ASSIGN_OR_RETURN(
        Tensor beside,
        TensorFor(
            *input, shape,
            NumbersBeside(*input, static_cast<size_t>(values[0].value.tensor().num_elements()))));
    values.push_back({input->name, std::move(beside), false});
  }
  if (values.empty()) return absl::InvalidArgumentError("the model takes no inputs");
  return values;
}

}  // namespace onnxcmp
