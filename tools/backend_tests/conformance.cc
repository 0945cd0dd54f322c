#include "tools/backend_tests/conformance.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

constexpr auto kResultNames = std::to_array<const char*>({"passed", "wrong", "refused", "crashed"});
constexpr size_t kResults = kResultNames.size();
constexpr size_t kShownReason = 160;

using ResultCounts = std::array<int64_t, kResults>;

const char* NameOfResult(BackendTestResult result) {
  return kResultNames[static_cast<size_t>(result)];
}

// By operator, by column.
std::map<std::string, std::vector<ResultCounts>> CountsOf(const Conformance& conformance) {
  std::map<std::string, std::vector<ResultCounts>> counts;
  for (size_t t = 0; t < conformance.tests.size(); ++t) {
    std::vector<ResultCounts>& row = counts[conformance.operators[t].op_type];
    row.resize(conformance.columns.size());
    for (size_t c = 0; c < conformance.columns.size(); ++c) {
      ++row[c][static_cast<size_t>(conformance.columns[c].outcomes[t].result)];
    }
  }
  return counts;
}

// "12", "10, 2 wrong"; "-" where nothing passed because all was refused.
std::string CountsText(const ResultCounts& counts) {
  int64_t all = 0;
  for (const int64_t count : counts) all += count;
  if (counts[static_cast<size_t>(BackendTestResult::kRefused)] == all) return "refused";
  std::string text = absl::StrCat(counts[0]);
  for (size_t i = 1; i < kResults; ++i) {
    if (counts[i] > 0) absl::StrAppend(&text, ", ", counts[i], " ", kResultNames[i]);
  }
  return text;
}

// The header, a row an operator, the sums.
std::vector<std::vector<std::string>> Cells(const Conformance& conformance) {
  std::vector<std::vector<std::string>> rows(1, {"operator", "tests"});
  for (const Conformance::Column& column : conformance.columns) rows[0].push_back(column.runtime);
  std::vector<ResultCounts> sums(conformance.columns.size());
  for (const auto& [op_type, counts] : CountsOf(conformance)) {
    int64_t tests = 0;
    for (const int64_t count : counts.front()) tests += count;
    std::vector<std::string>& row = rows.emplace_back();
    row = {op_type.empty() ? "(no model)" : op_type, absl::StrCat(tests)};
    for (size_t c = 0; c < counts.size(); ++c) {
      row.push_back(CountsText(counts[c]));
      for (size_t i = 0; i < kResults; ++i) sums[c][i] += counts[c][i];
    }
  }
  std::vector<std::string>& last = rows.emplace_back();
  last = {"all", absl::StrCat(conformance.tests.size())};
  for (const ResultCounts& sum : sums) last.push_back(CountsText(sum));
  return rows;
}

struct Failure {
  std::string test;
  std::string runtime;
  std::string result;
  std::string reason;
};

std::vector<Failure> FailuresOf(const Conformance& conformance) {
  std::vector<Failure> failures;
  for (const Conformance::Column& column : conformance.columns) {
    for (size_t t = 0; t < conformance.tests.size(); ++t) {
      const BackendTestOutcome& outcome = column.outcomes[t];
      if (outcome.result != BackendTestResult::kWrong &&
          outcome.result != BackendTestResult::kCrashed) {
        continue;
      }
      const std::string line = outcome.text.substr(0, outcome.text.find('\n'));
      failures.push_back({conformance.tests[t], column.runtime, NameOfResult(outcome.result),
                          OneLine(line.substr(0, kShownReason))});
    }
  }
  return failures;
}

}  // namespace

TestedOperator OperatorOf(const std::string& folder, const OpRegistry& registry,
                          const LoadOptions& load) {
  TestedOperator tested;
  const auto model = LoadModel(folder + "/model.onnx", registry, load);
  if (!model.ok() || (*model)->graph.nodes.empty()) return tested;
  const Node& node = (*model)->graph.nodes.back();
  tested.op_type =
      node.domain.empty() ? node.op_type : absl::StrCat(node.domain, ".", node.op_type);
  const OpsetImports& imports = node.imports != nullptr ? *node.imports : (*model)->imports;
  if (const auto it = imports.find(node.domain); it != imports.end()) tested.opset = it->second;
  if (!(*model)->graph.inputs.empty()) {
    tested.type = std::string(DTypeName((*model)->graph.inputs.front().type.dtype));
  }
  return tested;
}

std::string ConformanceTable(const Conformance& conformance) {
  const std::vector<std::vector<std::string>> rows = Cells(conformance);
  std::vector<int> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], DisplayWidth(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      absl::StrAppend(&line, c == 0 ? "" : "  ",
                      c + 1 == row.size() ? row[c] : PadRight(row[c], widths[c]));
    }
    absl::StrAppend(&text, line, "\n");
  }
  const std::vector<Failure> failures = FailuresOf(conformance);
  if (!failures.empty()) text += "\n";
  for (const Failure& failure : failures) {
    absl::StrAppend(&text, failure.result, "  ", failure.runtime, "  ", failure.test, ": ",
                    failure.reason, "\n");
  }
  return text;
}

std::string ConformanceMarkdown(const Conformance& conformance) {
  const std::vector<std::vector<std::string>> rows = Cells(conformance);
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    absl::StrAppend(&text, "| ", absl::StrJoin(rows[r], " | "), " |\n");
    if (r > 0) continue;
    for (size_t c = 0; c < rows[r].size(); ++c) text += "| --- ";
    text += "|\n";
  }
  const std::vector<Failure> failures = FailuresOf(conformance);
  if (!failures.empty()) text += "\n| test | runtime | | why |\n| --- | --- | --- | --- |\n";
  for (const Failure& failure : failures) {
    absl::StrAppend(&text, "| ", failure.test, " | ", failure.runtime, " | ", failure.result,
                    " | `", failure.reason, "` |\n");
  }
  return text;
}

std::string ConformanceJson(const Conformance& conformance) {
  nlohmann::ordered_json json = {{"runtimes", nlohmann::ordered_json::array()},
                                 {"tests", nlohmann::ordered_json::array()}};
  for (const Conformance::Column& column : conformance.columns) {
    json["runtimes"].push_back(column.runtime);
  }
  for (size_t t = 0; t < conformance.tests.size(); ++t) {
    const TestedOperator& tested = conformance.operators[t];
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const Conformance::Column& column : conformance.columns) {
      nlohmann::ordered_json result = {{"result", NameOfResult(column.outcomes[t].result)}};
      if (!column.outcomes[t].passed) result["why"] = column.outcomes[t].text;
      results.push_back(std::move(result));
    }
    json["tests"].push_back({{"name", conformance.tests[t]},
                             {"operator", tested.op_type},
                             {"opset", tested.opset},
                             {"type", tested.type},
                             {"results", std::move(results)}});
  }
  return absl::StrCat(json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
                      "\n");
}

}  // namespace onnxcmp
