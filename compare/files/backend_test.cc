#include "compare/files/backend_test.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/differences/tensor_difference.h"
#include "compare/files/expected_outputs.h"
#include "compare/inputs/feeds.h"
#include "evaluator/status_macros.h"
#include "evaluator/tensor_proto.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsTest(const std::string& folder) {
  return Exists(folder + "/model.onnx") || Exists(folder + "/test_data_set_0");
}

// "a/b/" and "a/b" are "b", "." is what it stands for.
std::string NameOf(const std::string& folder) {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder, error);
  const fs::path path = (error ? fs::path(folder) : absolute).lexically_normal();
  return (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

// What `file` says of the test, if there is such a file and it says anything.
absl::StatusOr<std::optional<Tolerance>> ToleranceIn(const std::string& file,
                                                     const std::string& test) {
  std::ifstream stream(file);
  if (!stream) return std::optional<Tolerance>();
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is not a JSON object"));
  }
  const auto entry = json.find(test);
  if (entry == json.end()) return std::optional<Tolerance>();
  Tolerance tolerance = kBackendTestTolerance;
  for (const auto& [key, number] :
       {std::pair("rtol", &tolerance.rtol), {"atol", &tolerance.atol}}) {
    if (!entry->is_object() || !entry->contains(key)) continue;
    const nlohmann::json& given = (*entry)[key];
    if (!given.is_number() || given.get<double>() < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": ", key, " of ", test, " is not a number of at least 0"));
    }
    *number = given.get<double>();
  }
  return std::optional<Tolerance>(tolerance);
}

absl::StatusOr<Tolerance> GivenTolerance(const std::string& folder, const Tolerance& otherwise) {
  const std::string test = NameOf(folder);
  for (const char* beside : {"/tolerances.json", "/../tolerances.json"}) {
    OC_ASSIGN_OR_RETURN(const std::optional<Tolerance> tolerance,
                        ToleranceIn(folder + beside, test));
    if (tolerance.has_value()) return *tolerance;
  }
  return otherwise;
}

// What is wrong with an output; "" if nothing is.
std::string Compare(const std::string& name, const Value& got, const Value& want,
                    Expectation expectation, const Tolerance& given) {
  const std::string head = absl::StrCat("output ", name, ": ");
  const Tolerance tolerance = ToleranceFor(expectation, want, given);
  const ValueDifference difference = DifferenceWithin(tolerance, want, got);
  if (difference.agree) return "";
  if (expectation == Expectation::kTypeAndShape && difference.reason.empty()) return "";
  if (!difference.reason.empty() || difference.beyond == 0) {
    return absl::StrCat(head, got.TypeString(), " instead of ", want.TypeString(), ": ",
                        difference.reason, " (expected | got)\n");
  }
  const TensorDifference all = TensorDifferenceOf(want, got, {tolerance, /*worst=*/5});
  std::string text = absl::StrFormat(
      "%s%s: %d of %d elements beyond %g + %g*max(|a|,|b|)\n"
      "  max abs %.3g at %s, max rel %.3g at %s, max ulp %.3g; NaN: %d expected, %d got",
      head, got.TypeString(), difference.beyond, difference.elements, tolerance.atol,
      tolerance.rtol, difference.max_absolute, difference.max_absolute_at, difference.max_relative,
      difference.max_relative_at, all.max_ulp, all.nan_left, all.nan_right);
  absl::StrAppend(&text, "\n");
  for (const ElementPair& pair : all.worst) {
    absl::StrAppend(&text, "  ", pair.index, " expected ", pair.left, ", got ", pair.right,
                    absl::StrFormat(" (abs %.3g, rel %.3g)\n", pair.absolute, pair.relative));
  }
  return text;
}

// Which outputs could not be compared, though the test passed; "" if all could.
std::string NotCompared(const Graph& graph, const std::vector<Expectation>& expectations) {
  std::string text;
  for (size_t i = 0; i < expectations.size(); ++i) {
    if (expectations[i] != Expectation::kTypeAndShape) continue;
    absl::StrAppend(&text, "output ", graph.outputs[i].name,
                    " is drawn at random: only its type and shape were compared\n");
  }
  return text;
}

// Runs the test; `text` says what is wrong, or of a test that passed what could not be compared.
// NotFound: there is nothing to run.
absl::StatusOr<bool> RunTest(const std::string& folder, const OpRegistry& registry,
                             const BackendTestOptions& options, std::string* text) {
  if (!Exists(folder + "/model.onnx")) return absl::NotFoundError("there is no model.onnx");
  if (!Exists(folder + "/test_data_set_0")) return absl::NotFoundError("there are no test data");
  OC_ASSIGN_OR_RETURN(const Tolerance tolerance, GivenTolerance(folder, options.tolerance));
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(folder + "/model.onnx", registry, options.load));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(model, registry, options.evaluator));
  const Graph& graph = model->graph;
  const std::vector<Expectation> expectations = ExpectationsOf(graph);
  for (int set = 0; Exists(absl::StrCat(folder, "/test_data_set_", set)); ++set) {
    const std::string data = absl::StrCat(folder, "/test_data_set_", set);
    OC_ASSIGN_OR_RETURN(FeedFile inputs, FeedFile::Open(data));
    OC_ASSIGN_OR_RETURN(const MatchedFeeds matched, inputs.FeedsFor(graph));
    OC_ASSIGN_OR_RETURN(const std::vector<Value> want,
                        ReadTestValues(data + "/output_", graph.outputs));
    if (want.empty() || want.size() != graph.outputs.size()) {
      return absl::NotFoundError(
          absl::StrCat(data, " has ", want.size(), " of ", graph.outputs.size(), " outputs"));
    }
    OC_ASSIGN_OR_RETURN(const std::vector<Value> got, evaluator.Run(matched.feeds));
    for (size_t i = 0; i < want.size(); ++i) {
      const std::string wrong =
          Compare(graph.outputs[i].name, got[i], want[i], expectations[i], tolerance);
      if (!wrong.empty()) absl::StrAppend(text, "test_data_set_", set, ", ", wrong);
    }
  }
  if (!text->empty()) return false;
  *text = NotCompared(graph, expectations);
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindBackendTests(absl::Span<const std::string> paths) {
  std::vector<std::string> tests;
  for (const std::string& path : paths) {
    if (IsTest(path)) {
      tests.push_back(path);
      continue;
    }
    const size_t before = tests.size();
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (IsTest(entry.path().string())) tests.push_back(entry.path().string());
    }
    if (tests.size() == before) {
      return absl::NotFoundError(absl::StrCat(
          path, error ? ": " + error.message() : ": no folder in it has a model.onnx"));
    }
  }
  std::sort(tests.begin(), tests.end());
  tests.erase(std::unique(tests.begin(), tests.end()), tests.end());
  return tests;
}

absl::StatusOr<std::vector<Value>> ReadTestValues(const std::string& prefix,
                                                  const std::vector<ValueInfo>& declared) {
  std::vector<Value> values;
  while (true) {
    const std::string path = absl::StrCat(prefix, values.size(), ".pb");
    if (!Exists(path)) return values;
    if (values.size() == declared.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the model has only ", declared.size(), " of them"));
    }
    OC_ASSIGN_OR_RETURN(Value value, ReadValueFile(path, declared[values.size()].type));
    values.push_back(std::move(value));
  }
}

BackendTestOutcome RunBackendTest(const std::string& folder, const OpRegistry& registry,
                                  const BackendTestOptions& options) {
  BackendTestOutcome outcome;
  outcome.name = NameOf(folder);
  outcome.folder = folder;
  const absl::StatusOr<bool> passed = RunTest(folder, registry, options, &outcome.text);
  if (!passed.ok()) {
    outcome.status = absl::IsNotFound(passed.status()) ? BackendTestOutcome::Status::kSkipped
                                                       : BackendTestOutcome::Status::kFailed;
    outcome.text = absl::StrCat(passed.status().message(), "\n");
  } else if (!*passed) {
    outcome.status = BackendTestOutcome::Status::kFailed;
  }
  return outcome;
}

}  // namespace onnxcmp
