#include "feed/type_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

std::string DimText(const TypeInfo::Dim& dim) {
  if (dim.value.has_value()) {
    return absl::StrCat(*dim.value);
  }
  return dim.symbol.empty() ? "?" : dim.symbol;
}

std::string TensorText(const TypeInfo& type) {
  std::string text(DTypeName(type.dtype));
  if (type.shape.has_value()) {
    absl::StrAppend(&text, "[",
                    absl::StrJoin(*type.shape, ",",
                                  [](std::string* out, const TypeInfo::Dim& dim) {
                                    out->append(DimText(dim));
                                  }),
                    "]");
  }
  return text;
}

std::string ElementText(const TypeInfo& type) {
  return type.element == nullptr ? "unknown" : TypeText(*type.element);
}

std::string ShapeConflict(const Shape& shape, const TypeInfo& type) {
  if (!type.shape.has_value()) {
    return "";
  }
  if (shape.size() != type.shape->size()) {
    return "rank";
  }
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const std::optional<int64_t>& size = (*type.shape)[axis].value;
    if (size.has_value() && *size != shape[axis]) {
      return absl::StrCat("dimension ", axis);
    }
  }
  return "";
}

}  // namespace

std::string TypeText(const TypeInfo& type) {
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      return "unknown";
    case TypeInfo::Kind::kTensor:
      return TensorText(type);
    case TypeInfo::Kind::kSparseTensor:
      return absl::StrCat("sparse(", TensorText(type), ")");
    case TypeInfo::Kind::kSequence:
      return absl::StrCat("seq(", ElementText(type), ")");
    case TypeInfo::Kind::kOptional:
      return absl::StrCat("optional(", ElementText(type), ")");
    case TypeInfo::Kind::kMap:
      return absl::StrCat("map(", DTypeName(type.dtype), ", ", ElementText(type), ")");
  }
  return "";
}

std::string TypeConflict(const Value& value, const TypeInfo& type) {
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      return "";
    case TypeInfo::Kind::kTensor:
      if (!value.is_tensor()) {
        return "kind";
      }
      if (type.dtype != DType::kUndefined && value.tensor().dtype() != type.dtype) {
        return "element type";
      }
      return ShapeConflict(value.tensor().shape(), type);
    case TypeInfo::Kind::kSparseTensor:
      return value.is_sparse() ? ShapeConflict(value.sparse().dims, type) : "kind";
    case TypeInfo::Kind::kSequence:
      return value.is_sequence() ? "" : "kind";
    case TypeInfo::Kind::kOptional:
      // A plain value counts as an optional that holds it.
      return "";
    case TypeInfo::Kind::kMap:
      return value.is_map() ? "" : "kind";
  }
  return "";
}

}  // namespace onnxcmp
