#include "tools/reduce/runtime_test.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/status_macros.h"
#include "record/base/write_file.h"
#include "record/differences/value_difference.h"
#include "tools/backend_tests/expected_outputs.h"

namespace onnxcmp {
namespace {

// Words of letters: what is left of a message without names, numbers and paths. What a process
// wrote before it died may be of an earlier model.
std::string PlainWords(absl::string_view message) {
  message = message.substr(0, message.find("; its last words: "));
  std::vector<std::string> words;
  for (absl::string_view word : absl::StrSplit(message, ' ', absl::SkipEmpty())) {
    while (!word.empty() && absl::ascii_ispunct(word.back())) word.remove_suffix(1);
    while (!word.empty() && absl::ascii_ispunct(word.front())) word.remove_prefix(1);
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), absl::ascii_isalpha);
    if (plain) words.emplace_back(word);
  }
  return absl::StrJoin(words, " ");
}

}  // namespace

absl::StatusOr<RuntimeTest::Way> RuntimeTest::RunOn(Runtime* runtime,
                                                    const ReduceCandidate& candidate) const {
  OC_RETURN_IF_ERROR(runtime->Start().status());
  OC_ASSIGN_OR_RETURN(const std::string path, runtime->NewFile(".onnx"));
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  };
  OC_RETURN_IF_ERROR(WriteFile(path, candidate.bytes));
  const auto failed = [](const absl::Status& status) -> absl::StatusOr<Way> {
    Way way{Way::Kind::kDies, PlainWords(status.message()), std::string(status.message())};
    if (RuntimeDied(status)) return way;
    if (RuntimeRefused(status)) return Way{Way::Kind::kRefuses, way.words, way.text};
    return status;
  };
  const absl::StatusOr<RuntimeSession> session = runtime->Load(path, {});
  if (!session.ok()) return failed(session.status());
  const absl::StatusOr<RuntimeValues> values = runtime->Run(*session, candidate.model.feeds);
  if (!values.ok()) return failed(values.status());
  const absl::Cleanup unload = [&] {
    runtime->Remove(*values);
    runtime->Unload(*session);
  };
  const auto& outputs = candidate.model.proto.graph().output();
  for (int i = 0; i < outputs.size(); ++i) {
    const Value& ours = candidate.outputs[static_cast<size_t>(i)];
    if (!values->contains(outputs[i].name())) continue;
    OC_ASSIGN_OR_RETURN(const Value theirs, runtime->Read(*values, outputs[i].name()));
    const ValueDifference difference = DifferenceOf(ours, theirs, tolerances_);
    if (difference.agree()) continue;
    return Way{Way::Kind::kDiffers, "",
               absl::StrCat("output ", outputs[i].name(), " differs: ",
                            difference.reason.empty()
                                ? absl::StrCat("up to ", difference.max_absolute, " at ",
                                               difference.max_absolute_at,
                                               ", ours | theirs: ", difference.max_absolute_pair)
                                : difference.reason)};
  }
  return Way();
}

absl::StatusOr<RuntimeTest::Way> RuntimeTest::Run(const ReduceCandidate& candidate) {
  std::shared_ptr<Runtime> runtime;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !free_.empty(); });
    runtime = std::move(free_.back());
    free_.pop_back();
  }
  absl::StatusOr<Way> way = RunOn(runtime.get(), candidate);
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(std::move(runtime));
  changed_.notify_one();
  return way;
}

absl::StatusOr<ReduceTrial> RuntimeTest::Begin(const ReduceCandidate& whole) {
  OC_ASSIGN_OR_RETURN(first_, Run(whole));
  if (first_.kind == Way::Kind::kAgrees)
    return ReduceTrial{false, "its outputs agree with ours", "", 0};
  return ReduceTrial{true, first_.text, SaidBy(first_), 0};
}

absl::StatusOr<ReduceTrial> RuntimeTest::Try(const ReduceCandidate& candidate) {
  OC_ASSIGN_OR_RETURN(const Way way, Run(candidate));
  const bool fails = way.kind == first_.kind && way.words == first_.words;
  return ReduceTrial{fails, way.kind == Way::Kind::kAgrees ? "agrees" : way.text, SaidBy(way), 0};
}

std::string RuntimeTest::key() const {
  const auto number = [](const std::optional<double>& given) {
    return given.has_value() ? absl::StrFormat("%.17g", *given) : "";
  };
  return absl::StrCat(name_, "\n", number(tolerances_.rtol), "\n", number(tolerances_.atol), "\n",
                      static_cast<int>(first_.kind), "\n", first_.words);
}

std::string RuntimeTest::command() const {
  return absl::StrCat("onnxcmp conformance --runtime ", name_, " FOLDER");
}

absl::StatusOr<std::string> RuntimeTest::Script(const ReduceCandidate& /*candidate*/,
                                                const std::string& /*folder*/) {
  return absl::StrCat("onnxcmp conformance --runtime '", name_, "' \"$folder\"");
}

}  // namespace onnxcmp
