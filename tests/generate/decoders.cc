#include "tests/generate/decoders.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/cli/program.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {

std::string Model(const std::string& name) {
  return TestData(absl::StrCat("generate/", name, ".onnxtxt"));
}

std::string Changed(const std::string& name, const std::string& from, const std::string& to) {
  return ChangedBy(name, "", {{from, to}});
}

std::string ChangedBy(const std::string& name, const std::string& suffix,
                      const std::vector<std::pair<std::string, std::string>>& changes) {
  const std::string text = ReadFile(absl::StartsWith(name, "/") ? name : Model(name));
  for (const auto& [from, to] : changes) EXPECT_TRUE(absl::StrContains(text, from)) << from;
  const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  return WriteFile(absl::StrCat(::testing::TempDir(), test->name(), suffix, ".onnxtxt"),
                   absl::StrReplaceAll(text, changes));
}

nlohmann::json Report(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"generate", "--quiet", "--format", "json"});
  const Outcome outcome = Onnxcmp(arguments);
  const nlohmann::json report = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(report.is_discarded()) << outcome.out << outcome.err;
  EXPECT_EQ(report.value("exit_status", -1), outcome.status);
  return report;
}

nlohmann::json PropertyOf(const nlohmann::json& report, const std::string& name) {
  for (const nlohmann::json& one : report["invariants"]) {
    if (one["name"] == name) return one;
  }
  ADD_FAILURE() << name << " in " << report;
  return {};
}

}  // namespace onnxcmp::testing
