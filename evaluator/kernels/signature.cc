#include "evaluator/kernels/signature.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/value_type.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

ParameterType MakeParameterType(const onnx::OpSchema::FormalParameter& parameter) {
  ParameterType result;
  result.name = parameter.GetName();
  result.type_name = parameter.GetTypeStr();
  for (const std::string* type : parameter.GetTypes()) {
    std::optional<TypeInfo> allowed = ParseType(*type);
    if (!allowed.has_value()) continue;
    if (allowed->kind == TypeInfo::Kind::kTensor) {
      result.tensor_dtypes |= 1u << static_cast<unsigned>(allowed->dtype);
    } else {
      result.others.push_back(*std::move(allowed));
    }
  }
  // The schema's set is sorted by addresses.
  std::sort(result.others.begin(), result.others.end(), [](const TypeInfo& a, const TypeInfo& b) {
    return TypeInfoToString(a) < TypeInfoToString(b);
  });
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
  for (const TypeInfo& other : type.others) names.push_back(TypeInfoToString(other));
  return absl::StrJoin(names, ", ");
}

bool Allows(const ParameterType& parameter, const TypeInfo& type) {
  return std::any_of(parameter.others.begin(), parameter.others.end(),
                     [&](const TypeInfo& allowed) { return Agree(allowed, type); });
}

// The first input that fixed a type variable. Types of inputs that are no tensors are kept.
struct Binding {
  size_t input;
  std::optional<TypeInfo> type;
};

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
      if (schema.attributes().contains(kAnyAttribute)) continue;
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
  absl::InlinedVector<std::optional<Binding>, 8> bound(8);
  const auto parameter = [&signature](size_t input) -> const ParameterType& {
    return signature.inputs[std::min(input, signature.inputs.size() - 1)];
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ParameterType& allowed = parameter(i);
    if (inputs[i].empty()) {
      if (allowed.may_be_absent) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("its input ", i, " (", allowed.name, ") has no value"));
    }
    const bool is_tensor = inputs[i].is_tensor();
    std::optional<TypeInfo> type;  // tensors do without
    bool fits = false;
    if (is_tensor) {
      fits = (allowed.tensor_dtypes >> static_cast<unsigned>(inputs[i].tensor().dtype()) & 1u) != 0;
    } else {
      OC_ASSIGN_OR_RETURN(type, TypeOf(inputs[i]));
      fits = Allows(allowed, *type);
    }
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("its input ", allowed.name, " is ",
                                                     inputs[i].TypeString(),
                                                     "; allowed: ", KindList(allowed)));
    }
    if (allowed.type_variable < 0) continue;
    auto variable = static_cast<size_t>(allowed.type_variable);
    if (variable >= bound.size()) bound.resize(variable + 1);
    if (!bound[variable].has_value()) {
      bound[variable] = Binding{i, std::move(type)};
      continue;
    }
    const Binding& first = *bound[variable];
    const Value& other = inputs[first.input];
    const bool same =
        is_tensor ? other.is_tensor() && other.tensor().dtype() == inputs[i].tensor().dtype()
                  : first.type.has_value() && Agree(*first.type, *type);
    if (!same) {
      const auto name = [](const Value& value) {
        return value.is_tensor() ? std::string(DTypeName(value.tensor().dtype()))
                                 : value.TypeString();
      };
      return absl::InvalidArgumentError(
          absl::StrCat("its inputs ", parameter(first.input).name, " and ", allowed.name,
                       " must have one type, not ", name(other), " and ", name(inputs[i])));
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
  if (type.kind == TypeInfo::Kind::kUnknown) return absl::OkStatus();
  const absl::StatusOr<TypeInfo> given = TypeOf(value);
  if (!given.ok()) return refuse(given.status().message());
  // An optional may be given as what it holds.
  const bool held = type.kind == TypeInfo::Kind::kOptional && type.element != nullptr &&
                    Agree(*type.element, *given);
  if (type.kind != given->kind && !held) {
    return refuse(absl::StrCat(KindName(value), " does not fit"));
  }
  if (type.kind != TypeInfo::Kind::kTensor) {
    return held || Agree(type, *given) ? absl::OkStatus() : refuse("the element type differs");
  }
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
