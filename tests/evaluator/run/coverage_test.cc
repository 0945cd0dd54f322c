// That every operator of ONNX's schema registry runs, or is listed with a reason.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/load/function_body.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

// "ai.onnx.ml::Binarizer 1"; no domain for ai.onnx.
using Missing = std::set<std::string>;

Missing OperatorsThatCannotRun() {
  Missing missing;
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    const int version = schema.SinceVersion();
    if (schema.Deprecated() ||
        Registry().FindKernel(schema.domain(), schema.Name(), version) != nullptr ||
        BodyKindOf(schema, version) != BodyKind::kNone) {
      continue;
    }
    const std::string domain = schema.domain().empty() ? "" : absl::StrCat(schema.domain(), "::");
    missing.insert(absl::StrCat(domain, schema.Name(), " ", version));
  }
  return missing;
}

// Lines "operator version: reason"; '#' begins a comment.
std::map<std::string, std::string> Listed() {
  std::map<std::string, std::string> listed;
  std::ifstream file(TestData("uncovered_operators.txt"));
  EXPECT_TRUE(file.is_open());
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.rfind(": ");
    EXPECT_NE(colon, std::string::npos) << "no reason in the line: " << line;
    listed[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return listed;
}

TEST(CoverageTest, EveryOperatorRunsOrIsListedWithAReason) {
  const Missing missing = OperatorsThatCannotRun();
  const std::map<std::string, std::string> listed = Listed();
  if (std::getenv("ONNXCMP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream file(TestData("uncovered_operators.txt"));
    file << "# Operators of ONNX's schema registry that have neither kernel nor body: operator,\n"
            "# since_version, reason. ONNXCMP_UPDATE_GOLDENS=1 evaluator_test\n"
            "# --gtest_filter='CoverageTest*' writes it anew and keeps the reasons.\n";
    for (const std::string& name : missing) {
      const auto known = listed.find(name);
      file << name << ": " << (known == listed.end() ? "not written yet" : known->second) << "\n";
    }
    return;
  }
  for (const std::string& name : missing) {
    EXPECT_TRUE(listed.contains(name)) << name << " has neither kernel nor body";
  }
  for (const auto& [name, reason] : listed) {
    EXPECT_TRUE(missing.contains(name)) << name << " runs, or is no operator; take it off "
                                        << "testdata/uncovered_operators.txt";
  }
}

}  // namespace
}  // namespace onnxcmp::testing
