// docs/operators.md: every operator of every domain, and how it runs.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/expansion.h"
#include "evaluator/load/function_body.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"
#include "ops/contrib/refused.h"
#include "ops/contrib/schema_table.h"
#include "tests/support/golden.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

// Domain ("" for ai.onnx) and name.
using OpName = std::pair<std::string, std::string>;

// The schemas of one operator: versions ascending. `source`: whose registry they are of.
struct Operator {
  std::map<int, onnx::OpSchema> schemas;
  std::string source;
};

std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void AddTable(const std::string& file, const std::string& source,
              std::map<OpName, Operator>* operators) {
  const absl::StatusOr<std::vector<onnx::OpSchema>> schemas = ParseSchemas(FileText(file));
  ASSERT_TRUE(schemas.ok()) << schemas.status();
  for (const onnx::OpSchema& schema : *schemas) {
    Operator& op = (*operators)[{schema.domain(), schema.Name()}];
    // Where ONNX knows an operator, its schemas count.
    if (op.source == "ONNX") continue;
    op.source = source;
    op.schemas.emplace(schema.SinceVersion(), schema);
  }
}

std::map<OpName, Operator> AllSchemas() {
  std::map<OpName, Operator> operators;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    Operator& op = operators[{schema.domain(), schema.Name()}];
    op.source = "ONNX";
    op.schemas.emplace(schema.SinceVersion(), schema);
  }
  AddTable(SourceFile("ops/contrib/schemas.txt"), "onnxruntime", &operators);
  AddTable(SourceFile("ops/contrib/more_schemas.txt"), "ours", &operators);
  return operators;
}

std::string NameAndVersion(absl::string_view domain, absl::string_view name, int version) {
  return absl::StrCat(domain, domain.empty() ? "" : "::", name, " ", version);
}

// Of what cannot run: lines "operator version: reason", and what refuses every node.
std::map<std::string, std::string> Reasons() {
  std::map<std::string, std::string> reasons;
  std::istringstream lines(FileText(TestData("uncovered_operators.txt")));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.rfind(": ");
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    reasons[line.substr(0, colon)] = line.substr(colon + 2);
  }
  for (const RefusedOperator& refused : RefusedOperators()) {
    reasons[NameAndVersion(refused.domain, refused.op_type, refused.version)] =
        std::string(refused.reason);
  }
  return reasons;
}

// "kernel", "body", "nodes", "kernel; 1: body", ...
std::string RunsAs(const Operator& op, const std::map<std::string, std::string>& reasons) {
  std::vector<std::pair<std::string, std::vector<int>>> ways;  // the newest version's first
  for (auto schema = op.schemas.rbegin(); schema != op.schemas.rend(); ++schema) {
    const auto& [version, definition] = *schema;
    const std::string& domain = definition.domain();
    std::string way;
    const auto reason = reasons.find(NameAndVersion(domain, definition.Name(), version));
    if (reason != reasons.end()) {
      way = absl::StrCat("no: ", reason->second);
    } else if (NamesValues(Registry(), domain, definition.Name())) {
      way = "nodes";
    } else if (Registry().FindKernel(domain, definition.Name(), version) != nullptr) {
      way = "kernel";
    } else if (BodyKindOf(definition, version) != BodyKind::kNone) {
      way = "body";
    } else if (definition.Deprecated()) {
      continue;  // it has been taken out of the standard with this version
    } else {
      way = "no: not written";
    }
    auto known = std::find_if(ways.begin(), ways.end(), [&](auto& w) { return w.first == way; });
    if (known == ways.end()) known = ways.insert(ways.end(), {way, {}});
    known->second.insert(known->second.begin(), version);
  }
  if (ways.empty()) return "no: deprecated";
  std::string text = ways[0].first;
  for (size_t i = 1; i < ways.size(); ++i) {
    absl::StrAppend(&text, "; ", absl::StrJoin(ways[i].second, ", "), ": ", ways[i].first);
  }
  return text;
}

struct TypeGroup {
  const char* name;
  std::vector<std::string> types;
};

// Names for types that usually go together; the first that fits is taken.
const std::vector<TypeGroup>& TypeGroups() {
  static const auto* const kGroups = new std::vector<TypeGroup>{
      {"ints", {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}},
      {"floats", {"float16", "float", "double", "bfloat16"}},
      {"float8s", {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"}},
      {"complex", {"complex64", "complex128"}},
  };
  return *kGroups;
}

// "floats, int32": the types by their groups, what is left by name.
std::string TypeList(std::set<std::string> types) {
  std::vector<std::string> names;
  for (const TypeGroup& group : TypeGroups()) {
    if (!std::all_of(group.types.begin(), group.types.end(),
                     [&](const std::string& type) { return types.contains(type); })) {
      continue;
    }
    names.emplace_back(group.name);
    for (const std::string& type : group.types) types.erase(type);
  }
  names.insert(names.end(), types.begin(), types.end());
  return absl::StrJoin(names, ", ");
}

// Of one type variable. Types of sequences and optionals are listed inside of what holds them.
std::string VariableTypes(const std::vector<std::string>& types) {
  std::map<std::string, std::set<std::string>> holders;  // "seq(%)" -> element types
  for (const std::string& type : types) {
    const size_t begin = type.find("tensor(");
    if (begin == std::string::npos || absl::StartsWith(type, "map(")) {
      holders["%"].insert(type);
      continue;
    }
    const size_t end = type.find(')', begin);
    const std::string holder = absl::StrCat(type.substr(0, begin), "%", type.substr(end + 1));
    holders[holder].insert(type.substr(begin + 7, end - begin - 7));
  }
  std::vector<std::string> texts;
  for (const auto& [holder, elements] : holders) {
    texts.push_back(absl::StrReplaceAll(holder, {{"%", TypeList(elements)}}));
  }
  return absl::StrJoin(texts, ", ");
}

// "T: floats; I: int32, int64", of the newest version.
std::string Types(const onnx::OpSchema& schema) {
  std::vector<std::string> variables;
  for (const auto& variable : schema.typeConstraintParams()) {
    variables.push_back(
        absl::StrCat(variable.type_param_str, ": ", VariableTypes(variable.allowed_type_strs)));
  }
  return absl::StrJoin(variables, "; ");
}

// The operators that a graph names, in its subgraphs too.
template <typename Nodes>
void CollectOperators(const Nodes& nodes, std::set<OpName>* operators) {
  for (const onnx::NodeProto& node : nodes) {
    operators->insert({node.domain() == "ai.onnx" ? "" : node.domain(), node.op_type()});
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      CollectOperators(attribute.g().node(), operators);
      for (const onnx::GraphProto& graph : attribute.graphs()) {
        CollectOperators(graph.node(), operators);
      }
    }
  }
}

// How many of ONNX's tests that have to pass name an operator.
std::map<OpName, int> TestCounts() {
  std::map<OpName, int> counts;
  std::istringstream names(FileText(ExpectedConformanceTests()));
  for (std::string name; std::getline(names, name);) {
    onnx::ModelProto model;
    EXPECT_TRUE(model.ParseFromString(FileText(OnnxTestData(name + "/model.onnx")))) << name;
    std::set<OpName> operators;
    CollectOperators(model.graph().node(), &operators);
    for (const onnx::FunctionProto& function : model.functions()) {
      CollectOperators(function.node(), &operators);
    }
    for (const OpName& op : operators) ++counts[op];
  }
  return counts;
}

constexpr char kHead[] = R"(# Operators

Every operator of every domain that has a schema, and how it runs. Written by
`ONNXCMP_UPDATE_GOLDENS=1 build/tests/golden/golden_test --gtest_filter='OperatorsPage*'`; the test
fails when this page is not what the code says.

- **versions**: since_versions of its schemas. A version without a remark runs as the newest does.
- **runs as**: `kernel`, a kernel of ours; `body`, the operators by which its schema defines it;
  `nodes`, what stands in its place when a model is loaded; `no`, with the reason.
- **types**: of the newest version. `ints` are the eight integer types of 8 to 64 bits, `floats` are
  float16, bfloat16, float and double, `float8s` the four types of 8 bits, `complex` both.
- **tests**: how many of ONNX's backend tests that name the operator have to pass.

Schemas come from ONNX's registry, or from onnxruntime's (`ops/contrib/schemas.txt`), or are written
by hand (`ops/contrib/more_schemas.txt`): operators of other projects, from their documentation.
)";

// A section a domain and source of schemas: a table.
std::string Page() {
  const std::map<std::string, std::string> reasons = Reasons();
  const std::map<OpName, int> tests = TestCounts();
  std::map<std::pair<std::string, std::string>, std::string> sections;  // (domain, source) -> rows
  std::map<std::pair<std::string, std::string>, std::pair<int, int>> totals;
  for (const auto& [name, op] : AllSchemas()) {
    const auto count = tests.find(name);
    const std::string way = RunsAs(op, reasons);
    std::vector<int> versions;
    for (const auto& [version, schema] : op.schemas) versions.push_back(version);
    const std::pair<std::string, std::string> section = {
        name.first.empty() ? "ai.onnx" : name.first, op.source};
    absl::StrAppend(&sections[section], "| ", name.second, " | ", absl::StrJoin(versions, " "),
                    " | ", way, " | ", Types(op.schemas.rbegin()->second), " | ",
                    count == tests.end() ? "" : absl::StrCat(count->second), " |\n");
    ++totals[section].first;
    totals[section].second += absl::StartsWith(way, "no: ") ? 0 : 1;
  }
  std::string page = kHead;
  absl::StrAppend(&page,
                  "\n| domain | schemas of | operators | run |\n| --- | --- | --- | --- |\n");
  for (const auto& [section, total] : totals) {
    absl::StrAppend(&page, "| ", section.first, " | ", section.second, " | ", total.first, " | ",
                    total.second, " |\n");
  }
  for (const auto& [section, rows] : sections) {
    absl::StrAppend(&page, "\n## ", section.first, " (schemas: ", section.second, ")\n\n",
                    "| operator | versions | runs as | types | tests |\n",
                    "| --- | --- | --- | --- | --- |\n", rows);
  }
  return page;
}

TEST(OperatorsPage, IsWhatTheCodeSays) {
  if (OnnxTestData("").size() <= 1) GTEST_SKIP() << "the build names no ONNX test data";
  if (!OnnxIsOurs()) GTEST_SKIP() << "the page is that of another ONNX";
  ExpectFile(Document("operators.md"), Page());
}

}  // namespace
}  // namespace onnxcmp::testing
