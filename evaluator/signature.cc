#include "evaluator/signature.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "evaluator/proto_text.h"
#include "evaluator/tensor_proto.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

ParameterType MakeParameterType(const onnx::OpSchema::FormalParameter& parameter) {
  ParameterType result;
  result.name = parameter.GetName();
  result.type_name = parameter.GetTypeStr();
  for (const std::string* type : parameter.GetTypes()) {
    absl::string_view text(*type);
    if (absl::ConsumePrefix(&text, "tensor(")) {
      absl::ConsumeSuffix(&text, ")");
      if (std::optional<DType> dtype = DTypeFromName(text)) {
        result.tensor_dtypes |= 1u << static_cast<unsigned>(*dtype);
      }
    } else if (absl::StartsWith(text, "seq(")) {
      result.sequence = true;
    } else if (absl::StartsWith(text, "optional(")) {
      result.optional = true;
    } else if (absl::StartsWith(text, "map(")) {
      result.map = true;
    } else if (absl::StartsWith(text, "sparse_tensor(")) {
      result.sparse = true;
    }
  }
  return result;
}

onnx::AttributeProto::AttributeType ProtoTypeOf(const Attribute& attribute) {
  // In the order of the variant's alternatives.
  static constexpr onnx::AttributeProto::AttributeType kTypes[] = {
      onnx::AttributeProto::INT,           onnx::AttributeProto::FLOAT,
      onnx::AttributeProto::STRING,        onnx::AttributeProto::TENSOR,
      onnx::AttributeProto::SPARSE_TENSOR, onnx::AttributeProto::TYPE_PROTO,
      onnx::AttributeProto::GRAPH,         onnx::AttributeProto::INTS,
      onnx::AttributeProto::FLOATS,        onnx::AttributeProto::STRINGS,
      onnx::AttributeProto::TENSORS,       onnx::AttributeProto::GRAPHS,
      onnx::AttributeProto::TYPE_PROTOS};
  static_assert(std::size(kTypes) == std::variant_size_v<Attribute>);
  return kTypes[attribute.index()];
}

std::string KindList(const ParameterType& type) {
  std::vector<std::string> names;
  for (int i = 0; i < kNumDTypes; ++i) {
    if ((type.tensor_dtypes >> i & 1u) != 0) {
      names.emplace_back(DTypeName(static_cast<DType>(i)));
    }
  }
  if (type.sequence) names.emplace_back("a sequence");
  if (type.optional) names.emplace_back("an optional");
  if (type.map) names.emplace_back("a map");
  if (type.sparse) names.emplace_back("a sparse tensor");
  return absl::StrJoin(names, ", ");
}

bool Allows(const ParameterType& type, const Value& value) {
  if (value.is_tensor()) {
    return (type.tensor_dtypes >> static_cast<unsigned>(value.tensor().dtype()) & 1u) != 0;
  }
  return (value.is_sequence() && type.sequence) || (value.is_optional() && type.optional) ||
         (value.is_map() && type.map) || (value.is_sparse() && type.sparse);
}

absl::string_view KindName(const Value& value) {
  if (value.is_tensor()) return "a tensor";
  if (value.is_sequence()) return "a sequence";
  if (value.is_optional()) return "an optional";
  if (value.is_map()) return "a map";
  return "a sparse tensor";
}

}  // namespace

std::shared_ptr<const Signature> MakeSignature(const onnx::OpSchema& schema) {
  auto signature = std::make_shared<Signature>();
  absl::flat_hash_map<std::string, int> variables;
  for (const onnx::OpSchema::TypeConstraintParam& param : schema.typeConstraintParams()) {
    variables.emplace(param.type_param_str, static_cast<int>(variables.size()));
  }
  for (const onnx::OpSchema::FormalParameter& parameter : schema.inputs()) {
    ParameterType type = MakeParameterType(parameter);
    type.may_be_absent = parameter.GetOption() == onnx::OpSchema::Optional;
    if (auto it = variables.find(type.type_name); it != variables.end()) {
      type.type_variable = it->second;
    }
    if (parameter.GetOption() == onnx::OpSchema::Variadic) {
      signature->variadic = true;
      signature->variadic_homogeneous = parameter.GetIsHomogeneous();
      if (!signature->variadic_homogeneous) type.type_variable = -1;
    }
    signature->inputs.push_back(std::move(type));
  }
  for (const auto& [name, attribute] : schema.attributes()) {
    if (std::optional<Attribute> value = PlainAttributeFromProto(attribute.default_value)) {
      signature->defaults.emplace(name, *std::move(value));
    }
  }
  return signature;
}

absl::Status CheckNode(const Node& node, const onnx::OpSchema& schema) {
  auto check_count = [](size_t count, int min, int max, absl::string_view what) {
    if (static_cast<int64_t>(count) >= min && static_cast<int64_t>(count) <= max) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("it has ", count, " ", what, " where ",
                                                   min == max ? absl::StrCat(min)
                                                   : max == std::numeric_limits<int>::max()
                                                       ? absl::StrCat("at least ", min)
                                                       : absl::StrCat(min, " to ", max),
                                                   " are allowed"));
  };
  OC_RETURN_IF_ERROR(
      check_count(node.inputs.size(), schema.min_input(), schema.max_input(), "inputs"));
  OC_RETURN_IF_ERROR(
      check_count(node.outputs.size(), schema.min_output(), schema.max_output(), "outputs"));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    size_t formal = std::min(i, schema.inputs().size() - 1);
    if (node.inputs[i].empty() && schema.inputs()[formal].GetOption() != onnx::OpSchema::Optional) {
      return absl::InvalidArgumentError(
          absl::StrCat("its input ", i, " (", schema.inputs()[formal].GetName(), ") is missing"));
    }
  }
  for (const auto& [name, value] : node.attributes) {
    auto it = schema.attributes().find(name);
    if (it == schema.attributes().end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("version ", schema.SinceVersion(), " has no attribute ", Quoted(name)));
    }
    if (it->second.type != ProtoTypeOf(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("attribute ", name, " is of type ",
                       onnx::AttributeProto::AttributeType_Name(ProtoTypeOf(value)), " instead of ",
                       onnx::AttributeProto::AttributeType_Name(it->second.type)));
    }
  }
  for (const auto& [name, attribute] : schema.attributes()) {
    if (attribute.required && !node.attributes.contains(name)) {
      return absl::InvalidArgumentError(absl::StrCat("attribute ", name, " is missing"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const Signature& signature, absl::Span<const Value> inputs) {
  // The first input that fixed a type variable.
  absl::InlinedVector<int, 8> bound(8, -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ParameterType& type = signature.inputs[std::min(i, signature.inputs.size() - 1)];
    if (inputs[i].empty()) {
      if (type.may_be_absent) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("its input ", i, " (", type.name, ") has no value"));
    }
    if (!Allows(type, inputs[i])) {
      return absl::InvalidArgumentError(absl::StrCat(
          "its input ", type.name, " is ", inputs[i].TypeString(), "; allowed: ", KindList(type)));
    }
    if (type.type_variable < 0 || !inputs[i].is_tensor()) continue;
    auto variable = static_cast<size_t>(type.type_variable);
    if (variable >= bound.size()) bound.resize(variable + 1, -1);
    if (bound[variable] < 0) {
      bound[variable] = static_cast<int>(i);
      continue;
    }
    const Value& first = inputs[static_cast<size_t>(bound[variable])];
    if (first.tensor().dtype() != inputs[i].tensor().dtype()) {
      size_t other = std::min(static_cast<size_t>(bound[variable]), signature.inputs.size() - 1);
      return absl::InvalidArgumentError(
          absl::StrCat("its inputs ", signature.inputs[other].name, " and ", type.name,
                       " must have one type, not ", DTypeName(first.tensor().dtype()), " and ",
                       DTypeName(inputs[i].tensor().dtype())));
    }
  }
  return absl::OkStatus();
}

std::string TypeInfoToString(const TypeInfo& type) {
  std::string dims;
  if (type.shape.has_value()) {
    dims = absl::StrCat("[",
                        absl::StrJoin(*type.shape, ",",
                                      [](std::string* out, const TypeInfo::Dim& dim) {
                                        absl::StrAppend(out, dim.value.has_value()
                                                                 ? absl::StrCat(*dim.value)
                                                             : dim.symbol.empty() ? "?"
                                                                                  : dim.symbol);
                                      }),
                        "]");
  }
  std::string element = type.element == nullptr ? "?" : TypeInfoToString(*type.element);
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      return "?";
    case TypeInfo::Kind::kTensor:
      return absl::StrCat(DTypeName(type.dtype), dims);
    case TypeInfo::Kind::kSequence:
      return absl::StrCat("seq(", element, ")");
    case TypeInfo::Kind::kOptional:
      return absl::StrCat("optional(", element, ")");
    case TypeInfo::Kind::kMap:
      return absl::StrCat("map(", DTypeName(type.dtype), ",", element, ")");
    case TypeInfo::Kind::kSparseTensor:
      return absl::StrCat("sparse(", DTypeName(type.dtype), dims, ")");
  }
  return "?";
}

absl::Status CheckFeed(const ValueInfo& info, const Value& value) {
  const TypeInfo& type = info.type;
  auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("input ", Quoted(info.name), " is ",
                                                   TypeInfoToString(type), " but was given ",
                                                   value.TypeString(), ": ", what));
  };
  bool same_kind = false;
  switch (type.kind) {
    case TypeInfo::Kind::kUnknown:
      return absl::OkStatus();
    case TypeInfo::Kind::kTensor:
      same_kind = value.is_tensor();
      break;
    case TypeInfo::Kind::kSequence:
      same_kind = value.is_sequence();
      break;
    case TypeInfo::Kind::kOptional:
      // An optional may be given as what it holds.
      return absl::OkStatus();
    case TypeInfo::Kind::kMap:
      same_kind = value.is_map();
      break;
    case TypeInfo::Kind::kSparseTensor:
      same_kind = value.is_sparse();
      break;
  }
  if (!same_kind) return refuse(absl::StrCat(KindName(value), " does not fit"));
  if (type.kind != TypeInfo::Kind::kTensor) return absl::OkStatus();
  const Tensor& tensor = value.tensor();
  if (type.dtype != DType::kUndefined && tensor.dtype() != type.dtype) {
    return refuse("the element type differs");
  }
  if (!type.shape.has_value()) return absl::OkStatus();
  if (type.shape->size() != tensor.shape().size()) return refuse("the rank differs");
  for (size_t i = 0; i < type.shape->size(); ++i) {
    const std::optional<int64_t>& dim = (*type.shape)[i].value;
    // Exporters write 0 for a dimension that they do not know.
    if (dim.has_value() && *dim != 0 && *dim != tensor.shape()[i]) {
      return refuse(absl::StrCat("dimension ", i, " differs"));
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
