#include "show/model/shown_model.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/text/short_text.h"

namespace onnxcmp {

std::string ShownConstant::type() const {
  return dims.empty() ? ShortDType(dtype)
                      : absl::StrCat(ShortDType(dtype), "[", absl::StrJoin(dims, ","), "]");
}

std::string ShownNode::op() const {
  return absl::StrCat(domain, domain.empty() ? "" : ".", op_type, overload.empty() ? "" : ":",
                      overload);
}

std::string ShownNode::label() const {
  if (!name.empty()) return name;
  for (const std::string& output : outputs) {
    if (!output.empty()) return output;
  }
  return op();
}

std::string ShownFunction::op() const {
  return absl::StrCat(domain, domain.empty() ? "" : ".", name, overload.empty() ? "" : ":",
                      overload);
}

std::string ShownGraph::TypeOf(const std::string& value) const {
  const auto it = types.find(value);
  return it == types.end() ? "" : ShownType(it->second);
}

const ShownConstant* ShownGraph::ConstantOf(const std::string& value) const {
  const auto it = constant_of.find(value);
  return it == constant_of.end() ? nullptr : &constants[it->second];
}

std::string ShownType(const TypeInfo& type) {
  const auto inner = [&] {
    return type.element == nullptr ? std::string("?") : ShownType(*type.element);
  };
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      return "";
    case TypeInfo::Kind::kSequence:
      return absl::StrCat("seq(", inner(), ")");
    case TypeInfo::Kind::kOptional:
      return absl::StrCat("optional(", inner(), ")");
    case TypeInfo::Kind::kMap:
      return absl::StrCat("map(", ShortDType(type.dtype), ",", inner(), ")");
    case TypeInfo::Kind::kTensor:
    case TypeInfo::Kind::kSparseTensor:
      break;
  }
  std::string text = type.dtype == DType::kUndefined ? "?" : ShortDType(type.dtype);
  if (!type.shape.has_value()) {
    text += "[...]";
  } else if (!type.shape->empty()) {
    absl::StrAppend(&text, "[",
                    absl::StrJoin(*type.shape, ",",
                                  [](std::string* out, const TypeInfo::Dim& dim) {
                                    if (dim.value.has_value()) {
                                      absl::StrAppend(out, *dim.value);
                                    } else {
                                      // Inference calls what it does not know so.
                                      const bool named = !dim.symbol.empty() &&
                                                         !absl::StartsWith(dim.symbol, "unk__");
                                      out->append(named ? dim.symbol : "?");
                                    }
                                  }),
                    "]");
  }
  return type.kind == TypeInfo::Kind::kSparseTensor ? absl::StrCat("sparse(", text, ")") : text;
}

}  // namespace onnxcmp
