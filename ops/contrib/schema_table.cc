#include "ops/contrib/schema_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "onnx/defs/shape_inference.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kTables =
#include "ops/contrib/schema_tables.inc"
    ;

using Words = std::vector<absl::string_view>;
using AttributeType = onnx::AttributeProto::AttributeType;

struct Parameter {
  std::string name;
  std::string type;
  onnx::OpSchema::FormalParameterOption option = onnx::OpSchema::Single;
  bool homogeneous = true;
  std::optional<int> shape_of;  // the input whose shape an output has
};

struct Declaration {
  onnx::OpSchema schema;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  absl::flat_hash_map<std::string, std::vector<std::string>> types;
};

// "float" is short for "tensor(float)".
std::string TypeName(absl::string_view word) {
  return absl::StrContains(word, '(') ? std::string(word) : absl::StrCat("tensor(", word, ")");
}

absl::StatusOr<int> IntOf(absl::string_view word) {
  int value = 0;
  if (!absl::SimpleAtoi(word, &value)) {
    return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no integer"));
  }
  return value;
}

absl::StatusOr<AttributeType> AttributeTypeOf(absl::string_view word) {
  AttributeType type;
  if (!onnx::AttributeProto_AttributeType_Parse(absl::AsciiStrToUpper(word), &type)) {
    return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no kind of attribute"));
  }
  return type;
}

// in[?*] NAME TYPE, out[?*] NAME TYPE [= I]
absl::StatusOr<Parameter> ParseParameter(const Words& words) {
  if (words.size() != 3 && !(words.size() == 5 && words[3] == "=")) {
    return absl::InvalidArgumentError("a name and a type are expected");
  }
  Parameter parameter;
  parameter.name = std::string(words[1]);
  parameter.type = std::string(words[2]);
  if (absl::EndsWith(words[0], "?")) parameter.option = onnx::OpSchema::Optional;
  if (absl::EndsWith(words[0], "*")) parameter.option = onnx::OpSchema::Variadic;
  parameter.homogeneous = !absl::EndsWith(words[0], "**");
  if (words.size() == 5) {
    OC_ASSIGN_OR_RETURN(parameter.shape_of, IntOf(words[4]));
  }
  return parameter;
}

// attr[!] NAME KIND [= VALUE]
absl::Status AddAttribute(const Words& words, onnx::OpSchema& schema) {
  if (words.size() != 3 && !(words.size() == 5 && words[3] == "=")) {
    return absl::InvalidArgumentError("a name, a kind and perhaps '= VALUE' are expected");
  }
  const std::string name(words[1]);
  OC_ASSIGN_OR_RETURN(AttributeType type, AttributeTypeOf(words[2]));
  if (words.size() == 3) {
    schema.Attr(name, "", type, absl::EndsWith(words[0], "!"));
    return absl::OkStatus();
  }
  absl::string_view value = words[4];
  int64_t integer = 0;
  float number = 0;
  if (type == onnx::AttributeProto::INT && absl::SimpleAtoi(value, &integer)) {
    schema.Attr(name, "", type, integer);
  } else if (type == onnx::AttributeProto::FLOAT && absl::SimpleAtof(value, &number)) {
    schema.Attr(name, "", type, number);
  } else if (type == onnx::AttributeProto::STRING && absl::ConsumePrefix(&value, "\"") &&
             absl::ConsumeSuffix(&value, "\"")) {
    schema.Attr(name, "", type, std::string(value));
  } else {
    return absl::InvalidArgumentError(absl::StrCat("'", words[4], "' is no ", words[2]));
  }
  return absl::OkStatus();
}

// op DOMAIN NAME VERSION [deprecated]
absl::StatusOr<Declaration> ParseHead(const Words& words) {
  if (words.size() != 4 && !(words.size() == 5 && words[4] == "deprecated")) {
    return absl::InvalidArgumentError("a domain, a name and a version are expected");
  }
  OC_ASSIGN_OR_RETURN(int version, IntOf(words[3]));
  Declaration declaration;
  declaration.schema.SetName(std::string(words[2]))
      .SetDomain(words[1] == "ai.onnx" ? "" : std::string(words[1]))
      .SinceVersion(version);
  if (words.size() == 5) declaration.schema.Deprecate();
  return declaration;
}

// How an output's type is known.
struct OutputRule {
  std::optional<int> type_of;  // the input whose element type it has
  int32_t only_type = 0;       // or the only one that it can have; 0: unknown
  std::optional<int> shape_of;
};

void Infer(const std::vector<OutputRule>& rules, onnx::InferenceContext& context) {
  auto is_there = [&](std::optional<int> input) {
    return input.has_value() && *input < static_cast<int>(context.getNumInputs()) &&
           context.getInputType(*input) != nullptr;
  };
  for (size_t i = 0; i < std::min(rules.size(), context.getNumOutputs()); ++i) {
    const OutputRule& rule = rules[i];
    if (is_there(rule.type_of)) {
      onnx::propagateElemTypeFromInputToOutput(context, *rule.type_of, i);
    } else if (rule.only_type != 0) {
      onnx::updateOutputElemType(context, i, rule.only_type);
    } else {
      continue;
    }
    if (is_there(rule.shape_of) && onnx::hasInputShape(context, *rule.shape_of)) {
      onnx::propagateShapeFromInputToOutput(context, *rule.shape_of, i);
    }
  }
}

std::vector<OutputRule> OutputRules(const Declaration& declaration) {
  std::vector<OutputRule> rules;
  for (const Parameter& output : declaration.outputs) {
    if (output.option == onnx::OpSchema::Variadic) break;
    OutputRule& rule = rules.emplace_back();
    rule.shape_of = output.shape_of;
    for (size_t i = 0; i < declaration.inputs.size() && !rule.type_of.has_value(); ++i) {
      if (declaration.inputs[i].type == output.type) rule.type_of = static_cast<int>(i);
    }
    auto types = declaration.types.find(output.type);
    std::string only = types == declaration.types.end() ? output.type
                       : types->second.size() == 1      ? types->second[0]
                                                        : "";
    onnx::TensorProto::DataType type;
    absl::string_view element = only;
    absl::ConsumePrefix(&element, "tensor(");
    absl::ConsumeSuffix(&element, ")");
    if (onnx::TensorProto_DataType_Parse(absl::AsciiStrToUpper(element), &type)) {
      rule.only_type = type;
    }
  }
  return rules;
}

onnx::OpSchema Build(Declaration declaration) {
  onnx::OpSchema& schema = declaration.schema;
  if (schema.deprecated()) return std::move(schema);
  auto type_name = [&](const Parameter& parameter) {
    return declaration.types.contains(parameter.type) ? parameter.type : TypeName(parameter.type);
  };
  for (size_t i = 0; i < declaration.inputs.size(); ++i) {
    const Parameter& input = declaration.inputs[i];
    schema.Input(static_cast<int>(i), input.name, "", type_name(input), input.option,
                 input.homogeneous);
  }
  for (size_t i = 0; i < declaration.outputs.size(); ++i) {
    const Parameter& output = declaration.outputs[i];
    schema.Output(static_cast<int>(i), output.name, "", type_name(output), output.option,
                  output.homogeneous);
  }
  schema.TypeAndShapeInferenceFunction(
      [rules = OutputRules(declaration)](onnx::InferenceContext& context) {
        Infer(rules, context);
      });
  return std::move(schema);
}

// One line below an `op`.
absl::Status ParseLine(const Words& words, Declaration& declaration) {
  if (absl::StartsWith(words[0], "in")) {
    OC_ASSIGN_OR_RETURN(Parameter input, ParseParameter(words));
    declaration.inputs.push_back(std::move(input));
  } else if (absl::StartsWith(words[0], "out")) {
    OC_ASSIGN_OR_RETURN(Parameter output, ParseParameter(words));
    declaration.outputs.push_back(std::move(output));
  } else if (absl::StartsWith(words[0], "attr")) {
    return AddAttribute(words, declaration.schema);
  } else if (words[0] == "types" && words.size() > 2) {
    std::vector<std::string> names;
    for (size_t i = 2; i < words.size(); ++i) names.push_back(TypeName(words[i]));
    declaration.schema.TypeConstraint(std::string(words[1]), names, "");
    declaration.types.emplace(words[1], std::move(names));
  } else {
    return absl::InvalidArgumentError(absl::StrCat("'", words[0], "' is no kind of line"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<onnx::OpSchema>> ParseSchemas(absl::string_view text) {
  std::vector<Declaration> declarations;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++line_number;
    const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty() || absl::StartsWith(words[0], "#")) continue;
    absl::Status status;
    if (words[0] == "op") {
      absl::StatusOr<Declaration> head = ParseHead(words);
      status = head.status();
      if (head.ok()) declarations.push_back(*std::move(head));
    } else if (declarations.empty()) {
      status = absl::InvalidArgumentError("it is not below an 'op' line");
    } else {
      status = ParseLine(words, declarations.back());
    }
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line_number, ": ", status.message(), ": ", line));
    }
  }
  std::vector<onnx::OpSchema> schemas;
  schemas.reserve(declarations.size());
  for (Declaration& declaration : declarations) schemas.push_back(Build(std::move(declaration)));
  return schemas;
}

void RegisterSchemaTables(OpRegistry& registry) {
  // Each from its `op` to the next.
  constexpr absl::string_view kStart = "\nop ";
  const absl::string_view tables = kTables;
  for (size_t at = tables.find(kStart); at != absl::string_view::npos;) {
    const size_t next = tables.find(kStart, at + 1);
    const absl::string_view text = tables.substr(at + 1, next - at);
    const Words head = absl::StrSplit(text.substr(0, text.find('\n')), ' ', absl::SkipEmpty());
    const absl::StatusOr<Declaration> declaration = ParseHead(head);
    OC_CHECK(declaration.ok());
    const onnx::OpSchema& schema = declaration->schema;
    registry.AddSchema(schema.domain(), schema.Name(), schema.SinceVersion(), [text] {
      absl::StatusOr<std::vector<onnx::OpSchema>> schemas = ParseSchemas(text);
      OC_CHECK(schemas.ok() && schemas->size() == 1);
      return std::move(schemas->front());
    });
    at = next;
  }
}

}  // namespace onnxcmp
