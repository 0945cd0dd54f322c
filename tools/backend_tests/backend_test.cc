#include "tools/backend_tests/backend_test.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/protos/tensor_proto.h"
#include "feed/feeds.h"
#include "record/differences/mismatch_text.h"
#include "record/differences/value_scale.h"
#include "record/recordings/data_sets.h"
#include "record/runtimes/value_files.h"
#include "tools/backend_tests/expected_outputs.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool IsTest(const std::string& folder) {
  return Exists(folder + "/model.onnx") || !DataSets(folder).empty();
}

// "a/b/" and "a/b" give "b", "." the folder's name.
std::string NameOf(const std::string& folder) {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder, error);
  const fs::path path = (error ? fs::path(folder) : absolute).lexically_normal();
  return (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
}

// The test's tolerance in `file`, if there is one.
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

// The tolerance in the test's own files.
absl::StatusOr<std::optional<Tolerance>> GivenTolerance(const std::string& folder) {
  const std::string test = NameOf(folder);
  for (const char* beside : {"/tolerances.json", "/../tolerances.json"}) {
    OC_ASSIGN_OR_RETURN(const std::optional<Tolerance> tolerance,
                        ToleranceIn(folder + beside, test));
    if (tolerance.has_value()) return tolerance;
  }
  return std::optional<Tolerance>();
}

// ONNX's absolute tolerance suits elements of about 1: it is reduced for tensors of smaller
// elements, so that these are compared, too.
Tolerance DefaultFor(const Value& want) {
  constexpr double kShareOfScale = 0.1;
  Tolerance tolerance = kBackendTestTolerance;
  if (!want.is_tensor() || !IsFloatingPoint(want.tensor().dtype())) return tolerance;
  if (want.tensor().dtype() == DType::kFloat16) tolerance.rtol = kBackendTestFloat16;
  if (want.tensor().dtype() == DType::kBfloat16) tolerance.rtol = kBackendTestBfloat16;
  const double scale = ScaleOf(want.tensor());
  if (scale > 0) tolerance.atol = std::min(tolerance.atol, kShareOfScale * scale);
  return tolerance;
}

// Integers are exact unless the test's own file allows more.
Tolerances TolerancesFor(const Value& want, const std::optional<Tolerance>& of_file,
                         const std::optional<Tolerance>& of_user) {
  if (of_file.has_value()) return *of_file;
  return {of_user.has_value() ? *of_user : DefaultFor(want), {}};
}

// The error of an output; "" if there is none.
std::string OutputMismatch(const std::string& name, const Value& got, const Value& want,
                           Expectation expectation, const Tolerances& given) {
  const Tolerances tolerance = {ToleranceFor(expectation, want, given.floats), given.integers};
  const ValueDifference difference = DifferenceWithin(tolerance, want, got);
  if (difference.agree()) return "";
  if (expectation == Expectation::kTypeAndShape && difference.reason.empty()) return "";
  return absl::StrCat("output ", name, ": ", MismatchText(want, got, difference, tolerance));
}

// The outputs that could not be compared, although the test passed; "" if all could.
std::string NotCompared(const Graph& graph, const std::vector<Expectation>& expectations) {
  std::string text;
  for (size_t i = 0; i < expectations.size(); ++i) {
    if (expectations[i] != Expectation::kTypeAndShape) continue;
    absl::StrAppend(&text, "output ", graph.outputs[i].name,
                    " is drawn at random: only its type and shape were compared\n");
  }
  return text;
}

// Gives the outputs in order.
using RunModel = std::function<absl::StatusOr<std::vector<Value>>(const Feeds& feeds)>;

// The errors of one set of data; "" if there are none.
absl::StatusOr<std::string> RunSet(const std::string& data, const Graph& graph, const RunModel& run,
                                   const std::vector<Expectation>& expectations,
                                   const std::optional<Tolerance>& of_file,
                                   const std::optional<Tolerance>& of_user) {
  OC_ASSIGN_OR_RETURN(FeedFile inputs, FeedFile::Open(data));
  OC_ASSIGN_OR_RETURN(const MatchedFeeds matched, inputs.FeedsFor(graph));
  OC_ASSIGN_OR_RETURN(const std::vector<Value> want,
                      ReadTestValues(data + "/output_", graph.outputs));
  if (want.empty() || want.size() != graph.outputs.size()) {
    return absl::StrCat("it has ", want.size(), " of ", graph.outputs.size(), " outputs\n");
  }
  OC_ASSIGN_OR_RETURN(const std::vector<Value> got, run(matched.feeds));
  std::string text;
  for (size_t i = 0; i < want.size(); ++i) {
    absl::StrAppend(&text, OutputMismatch(graph.outputs[i].name, got[i], want[i], expectations[i],
                                          TolerancesFor(want[i], of_file, of_user)));
  }
  return text;
}

// A runtime loads the test's own file, for each set anew: some keep what they have seen.
RunModel InRuntime(Runtime* runtime, const std::string& file, const Graph& graph) {
  return [runtime, file, &graph](const Feeds& feeds) -> absl::StatusOr<std::vector<Value>> {
    OC_ASSIGN_OR_RETURN(const RuntimeSession session, runtime->Load(file, {}));
    const absl::StatusOr<RuntimeValues> values = runtime->Run(session, feeds);
    runtime->Unload(session);
    OC_RETURN_IF_ERROR(values.status());
    std::vector<Value> outputs;
    absl::Status status;
    for (const ValueInfo& output : graph.outputs) {
      absl::StatusOr<Value> value = runtime->Read(*values, output.name);
      status.Update(value.status());
      outputs.push_back(value.ok() ? AsDeclared(*std::move(value), output.type) : Value());
    }
    runtime->Remove(*values);
    OC_RETURN_IF_ERROR(status);
    return outputs;
  };
}

// Runs the test; `text` gets the errors, or if it passed the outputs that could not be compared.
absl::StatusOr<BackendTestResult> RunTest(const std::string& folder, const OpRegistry& registry,
                                          const BackendTestOptions& options, std::string* text) {
  if (!Exists(folder + "/model.onnx")) return absl::NotFoundError("there is no model.onnx");
  const std::vector<std::string> sets = DataSets(folder);
  if (sets.empty()) return absl::NotFoundError("there are no test data");
  OC_ASSIGN_OR_RETURN(const std::optional<Tolerance> of_file, GivenTolerance(folder));
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(folder + "/model.onnx", registry, options.load));
  std::optional<Evaluator> evaluator;
  RunModel run;
  if (options.runtime != nullptr) {
    run = InRuntime(options.runtime, model->path, model->graph);
  } else {
    OC_ASSIGN_OR_RETURN(Evaluator made, Evaluator::Create(model, registry, options.evaluator));
    evaluator.emplace(std::move(made));
    run = [&evaluator](const Feeds& feeds) { return evaluator->Run(feeds); };
  }
  const std::vector<Expectation> expectations = ExpectationsOf(model->graph);
  BackendTestResult result = BackendTestResult::kPassed;
  for (const std::string& set : sets) {
    const absl::StatusOr<std::string> wrong = RunSet(absl::StrCat(folder, "/", set), model->graph,
                                                     run, expectations, of_file, options.tolerance);
    if (wrong.ok() && wrong->empty()) continue;
    absl::StrAppend(text, set, ", ",
                    wrong.ok() ? *wrong : absl::StrCat(wrong.status().message(), "\n"));
    result = std::max(result, wrong.ok()                     ? BackendTestResult::kWrong
                              : !RuntimeDied(wrong.status()) ? BackendTestResult::kRefused
                                                             : BackendTestResult::kCrashed);
  }
  if (result == BackendTestResult::kPassed) *text = NotCompared(model->graph, expectations);
  return result;
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
  const fs::path path(prefix);
  std::error_code error;
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    absl::string_view number = name;
    size_t n = 0;
    if (!absl::ConsumePrefix(&number, path.filename().string()) ||
        !absl::ConsumeSuffix(&number, ".pb") || !absl::SimpleAtoi(number, &n)) {
      continue;
    }
    if (n >= declared.size()) {
      return absl::InvalidArgumentError(absl::StrCat(entry.path().string(), ": the model has only ",
                                                     declared.size(), " of them"));
    }
    ++count;
  }
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    const std::string file = absl::StrCat(prefix, i, ".pb");
    if (!Exists(file)) return absl::InvalidArgumentError(absl::StrCat(file, " is missing"));
    OC_ASSIGN_OR_RETURN(Value value, ReadValueFile(file, declared[i].type));
    values.push_back(std::move(value));
  }
  return values;
}

BackendTestOutcome RunBackendTest(const std::string& folder, const OpRegistry& registry,
                                  const BackendTestOptions& options) {
  BackendTestOutcome outcome;
  outcome.name = NameOf(folder);
  outcome.folder = folder;
  const absl::StatusOr<BackendTestResult> result =
      RunTest(folder, registry, options, &outcome.text);
  outcome.passed = result.ok() && *result == BackendTestResult::kPassed;
  if (result.ok()) outcome.result = *result;
  if (!result.ok()) outcome.text = absl::StrCat(result.status().message(), "\n");
  return outcome;
}

}  // namespace onnxcmp
