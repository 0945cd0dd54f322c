#include "tools/reduce/runtime_test.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "compare/compare.h"
#include "compare/input_sets/brief_options.h"
#include "compare/sides/recording_side.h"
#include "compare/sides/runtime_side.h"
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

// A candidate whose difference is smaller by this factor fails in another way: rounding that the
// whole model's fault hides.
constexpr double kSmallestPart = 10;

// The kind of a difference, so that a shape does not stand for numbers.
std::string KindOf(const ValueDifference& difference) {
  if (!difference.reason.empty()) return "type";
  return std::isfinite(difference.max_absolute) ? "numbers" : "not finite";
}

// In the order of KindOf()'s words: another type is worse than numbers that are not finite.
bool IsWorse(absl::string_view kind, double size, absl::string_view than, double than_size) {
  const auto rank = [](absl::string_view word) { return word == "type" ? 2 : word != "numbers"; };
  return std::make_pair(static_cast<int>(rank(kind)), size) >
         std::make_pair(static_cast<int>(rank(than)), than_size);
}

}  // namespace

absl::StatusOr<RuntimeTest::Way> RuntimeTest::RunOn(const std::shared_ptr<Runtime>& runtime,
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
  OC_ASSIGN_OR_RETURN(Way way, DifferenceIn(*values, runtime.get(), candidate));
  if (way.kind == Way::Kind::kDiffers && IsFirst(way) &&
      !ComparesDifferent(path, runtime, candidate.model.feeds)) {
    return Way();
  }
  return way;
}

absl::StatusOr<RuntimeTest::Way> RuntimeTest::DifferenceIn(const RuntimeValues& values,
                                                           Runtime* runtime,
                                                           const ReduceCandidate& candidate) const {
  Way farthest;
  const auto& outputs = candidate.model.proto.graph().output();
  for (int i = 0; i < outputs.size(); ++i) {
    const Value& ours = candidate.outputs[static_cast<size_t>(i)];
    if (!values.contains(outputs[i].name())) continue;
    OC_ASSIGN_OR_RETURN(const Value theirs, runtime->Read(values, outputs[i].name()));
    const ValueDifference difference = DifferenceOf(ours, theirs, tolerances_);
    if (difference.agree()) continue;
    Way way{Way::Kind::kDiffers, KindOf(difference),
            absl::StrCat("output ", outputs[i].name(), " differs: ",
                         difference.reason.empty()
                             ? absl::StrCat("up to ", difference.max_absolute, " at ",
                                            difference.max_absolute_at,
                                            ", ours | theirs: ", difference.max_absolute_pair)
                             : difference.reason),
            difference.apart};
    if (farthest.kind == Way::Kind::kAgrees ||
        IsWorse(way.words, way.size, farthest.words, farthest.size)) {
      farthest = std::move(way);
    }
  }
  return farthest;
}

bool RuntimeTest::IsFirst(const Way& way) const {
  if (!begun_) return true;
  return way.kind == first_.kind && way.words == first_.words &&
         way.size * kSmallestPart >= first_.size;
}

bool RuntimeTest::ComparesDifferent(const std::string& path,
                                    const std::shared_ptr<Runtime>& runtime,
                                    const Feeds& feeds) const {
  const auto open = [&] { return OpenSide(path, registry_, options_.load, options_.evaluator); };
  absl::StatusOr<std::unique_ptr<Side>> ours = open();
  absl::StatusOr<std::unique_ptr<Side>> same = open();
  if (!ours.ok() || !same.ok()) return true;
  absl::StatusOr<std::unique_ptr<RuntimeSide>> theirs =
      RuntimeSide::Create(*std::move(same), runtime);
  if (!theirs.ok()) return true;
  (*ours)->SetFeeds(feeds);
  (*theirs)->SetFeeds(feeds);
  CompareOptions options;
  options.tolerance = tolerances_;
  const absl::StatusOr<Comparison> comparison = Compare(**ours, **theirs, BriefOptions(options));
  return !comparison.ok() || comparison->verdict() == Verdict::kDifferent ||
         comparison->verdict() == Verdict::kFailed;
}

absl::StatusOr<RuntimeTest::Way> RuntimeTest::Run(const ReduceCandidate& candidate) {
  std::shared_ptr<Runtime> runtime;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !free_.empty(); });
    runtime = std::move(free_.back());
    free_.pop_back();
  }
  absl::StatusOr<Way> way = RunOn(runtime, candidate);
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(std::move(runtime));
  changed_.notify_one();
  return way;
}

absl::StatusOr<ReduceTrial> RuntimeTest::Begin(const ReduceCandidate& whole) {
  OC_ASSIGN_OR_RETURN(first_, Run(whole));
  begun_ = true;
  if (first_.kind == Way::Kind::kAgrees)
    return ReduceTrial{false, "its outputs agree with ours", "", 0};
  return ReduceTrial{true, first_.text, SaidBy(first_), 0};
}

absl::StatusOr<ReduceTrial> RuntimeTest::Try(const ReduceCandidate& candidate) {
  OC_ASSIGN_OR_RETURN(const Way way, Run(candidate));
  return ReduceTrial{IsFirst(way), way.kind == Way::Kind::kAgrees ? "agrees" : way.text,
                     SaidBy(way), 0};
}

std::string RuntimeTest::key() const {
  const auto number = [](const std::optional<double>& given) {
    return given.has_value() ? absl::StrFormat("%.17g", *given) : "";
  };
  return absl::StrCat(name_, "\n", number(tolerances_.rtol), "\n", number(tolerances_.atol), "\n",
                      static_cast<int>(first_.kind), "\n", first_.words, "\n",
                      absl::StrFormat("%.3g", first_.size));
}

std::string RuntimeTest::command() const {
  return absl::StrCat("onnxcmp conformance --runtime ", name_, " FOLDER");
}

absl::StatusOr<std::string> RuntimeTest::Script(const ReduceCandidate& /*candidate*/,
                                                const std::string& /*folder*/) {
  return absl::StrCat("onnxcmp conformance --runtime '", name_, "' \"$folder\"");
}

}  // namespace onnxcmp
