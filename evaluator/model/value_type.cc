#include "evaluator/model/value_type.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

using Kind = TypeInfo::Kind;

TypeInfo Plain(Kind kind, DType dtype) {
  TypeInfo type;
  type.kind = kind;
  type.dtype = dtype;
  return type;
}

TypeInfo Around(Kind kind, TypeInfo element) {
  TypeInfo type;
  type.kind = kind;
  type.element = std::make_shared<const TypeInfo>(std::move(element));
  return type;
}

absl::StatusOr<TypeInfo> TypeOfSequence(const Sequence& sequence) {
  if (sequence.elements.empty()) {
    const Kind kind = sequence.element_dtype == DType::kUndefined ? Kind::kUnknown : Kind::kTensor;
    return Around(Kind::kSequence, Plain(kind, sequence.element_dtype));
  }
  OC_ASSIGN_OR_RETURN(TypeInfo first, TypeOf(sequence.elements[0]));
  for (const Value& element : sequence.elements) {
    if (element.empty()) return absl::InvalidArgumentError("a sequence holds an absent value");
    bool same = false;
    if (first.kind == Kind::kTensor) {
      same = element.is_tensor() && element.tensor().dtype() == first.dtype;
    } else {
      OC_ASSIGN_OR_RETURN(const TypeInfo type, TypeOf(element));
      same = Agree(first, type);
    }
    if (!same) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sequence holds ", sequence.elements[0].TypeString(), " and ",
                       element.TypeString(), "; its elements must have one type"));
    }
  }
  return Around(Kind::kSequence, std::move(first));
}

absl::StatusOr<TypeInfo> TypeOfMap(const Map& map) {
  const Value* values = map.values.get();
  if (map.keys.rank() != 1 || values == nullptr ||
      !(values->is_tensor() || values->is_sequence())) {
    return absl::InvalidArgumentError("a map needs keys of rank 1, and values");
  }
  if (values->is_tensor() && values->tensor().rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("a map's values must be of rank 1, not ", values->TypeString()));
  }
  const int64_t count = values->is_tensor()
                            ? values->tensor().num_elements()
                            : static_cast<int64_t>(values->sequence().elements.size());
  if (count != map.keys.num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a map has ", map.keys.num_elements(), " keys and ", count, " values"));
  }
  TypeInfo element;
  if (values->is_tensor()) {
    element = Plain(Kind::kTensor, values->tensor().dtype());
  } else {
    OC_ASSIGN_OR_RETURN(const TypeInfo type, TypeOfSequence(values->sequence()));
    element = *type.element;
  }
  TypeInfo type = Around(Kind::kMap, std::move(element));
  type.dtype = map.keys.dtype();
  return type;
}

bool SameDType(DType a, DType b) {
  return a == b || a == DType::kUndefined || b == DType::kUndefined;
}

}  // namespace

absl::StatusOr<TypeInfo> TypeOf(const Value& value) {
  if (value.empty()) return TypeInfo();
  if (value.is_tensor()) return Plain(Kind::kTensor, value.tensor().dtype());
  if (value.is_sequence()) return TypeOfSequence(value.sequence());
  if (value.is_map()) return TypeOfMap(value.map());
  if (value.is_sparse()) return Plain(Kind::kSparseTensor, value.sparse().values.dtype());
  if (value.optional().element == nullptr) return Around(Kind::kOptional, TypeInfo());
  OC_ASSIGN_OR_RETURN(TypeInfo element, TypeOf(*value.optional().element));
  return Around(Kind::kOptional, std::move(element));
}

absl::StatusOr<TypeInfo> TypeAndShapeOf(const Value& value) {
  OC_ASSIGN_OR_RETURN(TypeInfo type, TypeOf(value));
  if (value.is_tensor() || value.is_sparse()) {
    type.shape.emplace();
    const Shape& shape = value.is_tensor() ? value.tensor().shape() : value.sparse().dims;
    for (const int64_t dim : shape) type.shape->push_back({.value = dim, .symbol = ""});
  }
  return type;
}

std::optional<TypeInfo> ParseType(absl::string_view text) {
  const auto inside = [&text](absl::string_view prefix) {
    return absl::ConsumePrefix(&text, prefix) && absl::ConsumeSuffix(&text, ")");
  };
  const auto around = [&text](Kind kind) -> std::optional<TypeInfo> {
    std::optional<TypeInfo> element = ParseType(text);
    if (!element.has_value()) return std::nullopt;
    return Around(kind, *std::move(element));
  };
  if (inside("seq(")) return around(Kind::kSequence);
  if (inside("optional(")) return around(Kind::kOptional);
  if (inside("map(")) {
    const size_t comma = text.find(',');
    if (comma == absl::string_view::npos) return std::nullopt;
    const std::optional<DType> key =
        DTypeFromName(absl::StripAsciiWhitespace(text.substr(0, comma)));
    text = absl::StripAsciiWhitespace(text.substr(comma + 1));
    std::optional<TypeInfo> map = around(Kind::kMap);
    if (!key.has_value() || !map.has_value()) return std::nullopt;
    map->dtype = *key;
    return map;
  }
  const Kind kind = inside("sparse_tensor(") ? Kind::kSparseTensor : Kind::kTensor;
  // A map's values may be written without it.
  if (absl::StartsWith(text, "tensor(") && !inside("tensor(")) return std::nullopt;
  const std::optional<DType> dtype = DTypeFromName(text);
  if (!dtype.has_value()) return std::nullopt;
  return Plain(kind, *dtype);
}

bool Agree(const TypeInfo& a, const TypeInfo& b) {
  if (a.kind == Kind::kUnknown || b.kind == Kind::kUnknown) return true;
  if (a.kind != b.kind || !SameDType(a.dtype, b.dtype)) return false;
  return a.element == nullptr || b.element == nullptr || Agree(*a.element, *b.element);
}

}  // namespace onnxcmp
