// A value that an attribute does not know must be an error that names the attribute, for every
// operator of every domain. What is an enumeration is found by trying: the text below is a value of
// none, so an operator that takes it does not look.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/expansion.h"
#include "evaluator/run/evaluator.h"
#include "onnx/defs/schema.h"
#include "ops/contrib/refused.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kUnknown[] = "no such value";

// Attributes that take any text, and why.
const std::set<std::string>& FreeTexts() {
  static const auto* const texts = new std::set<std::string>{
      // The text is data.
      "Constant.value_string",
      "Constant.value_strings",
      "StringNormalizer.stopwords",
      "StringSplit.delimiter",
      "TfIdfVectorizer.pool_strings",
      "com.microsoft.Tokenizer.pad_value",
      // Categories, and names of classes.
      "ai.onnx.ml.CategoryMapper.default_string",
      "ai.onnx.ml.DictVectorizer.string_vocabulary",
      "ai.onnx.ml.LabelEncoder.classes_strings",
      "ai.onnx.ml.LabelEncoder.default_string",
      "ai.onnx.ml.LabelEncoder.keys_strings",
      "ai.onnx.ml.LabelEncoder.values_strings",
      "ai.onnx.ml.LinearClassifier.classlabels_strings",
      "ai.onnx.ml.OneHotEncoder.cats_strings",
      "ai.onnx.ml.SVMClassifier.classlabels_strings",
      "ai.onnx.ml.ZipMap.classlabels_strings",
      // Expressions in a syntax that this text keeps to. An equation is checked against the inputs.
      "Einsum.equation",
      "RegexFullMatch.pattern",
      "com.microsoft.Tokenizer.separators",
      "com.microsoft.Tokenizer.tokenexp",
      // ICU takes the nearest locale that it knows, in the end the root.
      "StringNormalizer.locale",
      // How tensors lie on the devices of a mesh, which must have one device here.
      "input_device_mesh_elements",
      "input_shard_specs",
      "output_device_mesh_elements",
      "output_shard_specs",
  };
  return *texts;
}

// Any value of the attribute's type; nothing for those that an operator with a text never needs.
std::optional<Attribute> AnyValue(const onnx::OpSchema::Attribute& attribute) {
  switch (attribute.type) {
    case onnx::AttributeProto::INT:
      return int64_t{1};
    case onnx::AttributeProto::FLOAT:
      return 1.0f;
    case onnx::AttributeProto::STRING:
      return std::string("x");
    case onnx::AttributeProto::INTS:
      return std::vector<int64_t>{1};
    case onnx::AttributeProto::FLOATS:
      return std::vector<float>{1};
    case onnx::AttributeProto::STRINGS:
      return std::vector<std::string>{"x"};
    case onnx::AttributeProto::TENSOR:
      return Floats({1});
    default:
      return std::nullopt;
  }
}

using Attributes = std::map<std::string, Attribute, std::less<>>;

// Attributes that a node needs beside any value of those that its schema requires.
Attributes Companions(absl::string_view op_type, absl::string_view domain) {
  using Ints = std::vector<int64_t>;
  Attributes attributes;
  if (op_type == "MatMulNBitsMlp") attributes.emplace("block_size", int64_t{32});
  if (op_type == "Upsample" && domain == "com.microsoft.nchwc") {
    attributes.emplace("scales", Ints{1, 1, 2, 2});
  }
  if (absl::StartsWith(op_type, "Distributed")) {
    for (const char* name : {"input_device_mesh_shapes", "output_device_mesh_shapes"}) {
      attributes.emplace(name, std::vector<std::string>{"[1]"});
    }
  }
  if (absl::StartsWith(op_type, "TreeEnsemble") && op_type != "TreeEnsemble") {  // of one leaf
    for (const char* name : {"nodes_treeids", "nodes_nodeids", "nodes_featureids",
                             "nodes_truenodeids", "nodes_falsenodeids"}) {
      attributes.emplace(name, Ints{0});
    }
    attributes.emplace("nodes_values", std::vector<float>{0});
    if (domain == kMlDomain) attributes.emplace("nodes_modes", std::vector<std::string>{"LEAF"});
    if (op_type == "TreeEnsembleClassifier") attributes.emplace("classlabels_int64s", Ints{0});
  }
  return attributes;
}

// The plan of a model of one node: its inputs are as few as the schema allows, of any type.
absl::Status Plan(const onnx::OpSchema& schema, Attributes given) {
  Node node;
  node.domain = schema.domain();
  node.op_type = schema.Name();
  node.imports = std::make_shared<const OpsetImports>(
      OpsetImports{{schema.domain(), int64_t{schema.SinceVersion()}}});
  given.merge(Companions(schema.Name(), schema.domain()));
  for (const auto& [name, attribute] : schema.attributes()) {
    if (!attribute.required || given.contains(name)) continue;
    if (std::optional<Attribute> value = AnyValue(attribute)) given.emplace(name, *value);
  }
  node.attributes = std::move(given);
  auto model = std::make_shared<Model>();
  model->imports = *node.imports;
  for (int i = 0; i < schema.min_input(); ++i) {
    node.inputs.push_back(absl::StrCat("input_", i));
    model->graph.inputs.push_back(ValueInfo{node.inputs.back(), {}});
  }
  for (int i = 0; i < std::max(1, schema.min_output()); ++i) {
    node.outputs.push_back(absl::StrCat("output_", i));
    model->graph.outputs.push_back(ValueInfo{node.outputs.back(), {}});
  }
  model->graph.nodes.push_back(std::move(node));
  return Evaluator::Create(std::move(model), Registry()).status();
}

bool IsRefused(const OpRegistry::Entry& entry) {
  const absl::Span<const RefusedOperator> refused = RefusedOperators();
  return std::any_of(refused.begin(), refused.end(), [&](const RefusedOperator& op) {
    return op.domain == entry.domain && op.op_type == entry.op_type;
  });
}

TEST(AttributeValuesTest, UnknownTextsAreRefusedByName) {
  std::set<std::string> accepted;
  for (const OpRegistry::Entry& entry : Registry().Entries()) {
    // An operator that names values is replaced when a model is loaded, and never planned.
    if (IsRefused(entry) || NamesValues(Registry(), entry.domain, entry.op_type)) continue;
    for (const int version : entry.versions) {
      const onnx::OpSchema* schema = Registry().FindSchema(entry.domain, entry.op_type, version);
      ASSERT_NE(schema, nullptr);
      for (const auto& [name, attribute] : schema->attributes()) {
        Attribute unknown = std::string(kUnknown);
        if (attribute.type == onnx::AttributeProto::STRINGS) {
          unknown = std::vector<std::string>{kUnknown};
        } else if (attribute.type != onnx::AttributeProto::STRING) {
          continue;
        }
        const absl::Status status = Plan(*schema, {{name, unknown}});
        if (!status.ok() && absl::StrContains(status.message(), name)) continue;
        std::string what = name;
        if (!FreeTexts().contains(what)) {
          what =
              absl::StrCat(entry.domain, entry.domain.empty() ? "" : ".", entry.op_type, ".", name);
        }
        EXPECT_TRUE(FreeTexts().contains(what))
            << what << ", version " << version << ": " << status;
        accepted.insert(what);
      }
    }
  }
  EXPECT_EQ(accepted, FreeTexts());  // what is refused now needs no exception
}

}  // namespace
}  // namespace onnxcmp::testing
