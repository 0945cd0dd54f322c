#include "cli/batch/run_pairs.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "cli/batch/content_key.h"
#include "cli/batch/key_maker.h"
#include "cli/batch/pair_process.h"
#include "cli/batch/pair_report.h"
#include "cli/batch/pair_schedule.h"
#include "cli/batch/pair_starter.h"
#include "cli/batch/whole_file.h"
#include "cli/process/interruption.h"
#include "cli/process/posix/wait_for_signal.h"
#include "cli/process/progress.h"
#include "evaluator/base/status_macros.h"
#include "record/text/short_text.h"

namespace onnxcmp::cli {
namespace {

// Signals that end us, and that of processes that end, are waited for instead.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    // If somebody ignores it, processes go without leaving a status.
    old_action_ = signal(SIGCHLD, SIG_DFL);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action;
      if (sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        sigaddset(&set_, number);
      }
    }
    pthread_sigmask(SIG_BLOCK, &set_, &old_);
  }
  ~AwaitedSignals() {
    // A signal that nobody has waited for is one of processes that have ended.
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    while (WaitForSignal(ended, nullptr, absl::ZeroDuration()) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    if (old_action_ != SIG_ERR) signal(SIGCHLD, old_action_);
  }
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;

  // The signal that is to end us, 0 if there is none.
  int Wait(absl::Duration timeout) const {
    const int number = WaitForSignal(set_, nullptr, timeout);
    return number > 0 && number != SIGCHLD ? number : 0;
  }

 private:
  sigset_t set_;
  sigset_t old_;
  void (*old_action_)(int) = SIG_ERR;
};

// Processes that the system has ended for lack of memory since it started.
int64_t EndedForMemory() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  int64_t number = 0;
  while (file >> name >> number) {
    if (name == "oom_kill") return number;
  }
  return 0;
}

class PairRunner {
 public:
  PairRunner(const std::vector<BatchPair>& pairs, const PairRunOptions& options, ResultStore& store)
      : pairs_(pairs),
        options_(options),
        store_(store),
        schedule_(options.memory),
        hashes_(store.Path("hashes.jsonl")),
        keys_(pairs.size()),
        ended_for_memory_(EndedForMemory()) {
    run_.results.resize(pairs.size());
    limits_.memory = options.pair_memory > 0 ? options.pair_memory : options.memory;
    limits_.time = options.pair_time;
  }

  absl::StatusOr<PairRun> Run() {
    const absl::Time start = absl::Now();
    const AwaitedSignals signals;
    OC_RETURN_IF_ERROR(ReplaceFile(store_.Path("running.jsonl"), ""));
    OC_ASSIGN_OR_RETURN(starter_, PairStarter::Start(options_.program));
    Interruption never{Interruption::Never()};
    const ProgressLine line(options_.quiet, never,
                            [this](double seconds) { return Text(seconds); });
    absl::Status status;
    {
      KeyMaker keys(pairs_, LargestFirst(), options_.depends_on, hashes_);
      status = Work(signals, keys);
    }
    for (Running& running : running_) {
      running.process.reset();
      ResultStore::Discard(running.folder);
    }
    // It only saves time.
    hashes_.Save().IgnoreError();
    OC_RETURN_IF_ERROR(status);
    run_.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    return std::move(run_);
  }

 private:
  struct Running {
    size_t pair;
    int64_t memory;
    std::string folder;
    std::unique_ptr<PairProcess> process;
  };

  std::vector<size_t> LargestFirst() const {
    std::vector<int64_t> bytes;
    bytes.reserve(pairs_.size());
    for (const BatchPair& pair : pairs_) bytes.push_back(GuessPairBytes(pair));
    std::vector<size_t> order(pairs_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return bytes[a] > bytes[b]; });
    return order;
  }

  absl::Status Work(const AwaitedSignals& signals, KeyMaker& keys) {
    while (done_ < pairs_.size()) {
      for (KeyMaker::Made& made : keys.Take()) OC_RETURN_IF_ERROR(TakeKey(std::move(made)));
      while (running_.size() < static_cast<size_t>(options_.jobs)) {
        const std::optional<size_t> next = schedule_.Start();
        if (!next.has_value()) break;
        OC_RETURN_IF_ERROR(StartPair(*next));
      }
      if (done_ == pairs_.size()) break;
      run_.signal = signals.Wait(UntilDeadline());
      if (run_.signal != 0) return absl::OkStatus();
      for (auto it = running_.begin(); it != running_.end();) {
        PairEnd end;
        if (!it->process->HasEnded(&end)) {
          ++it;
          continue;
        }
        const absl::Status taken = TakeEnd(*it, end);
        schedule_.End(it->memory);
        ResultStore::Discard(it->folder);
        it = running_.erase(it);
        OC_RETURN_IF_ERROR(taken);
      }
    }
    return absl::OkStatus();
  }

  absl::Duration UntilDeadline() const {
    absl::Duration least = absl::Seconds(1);
    for (const Running& running : running_) {
      least = std::min(least, running.process->deadline() - absl::Now());
    }
    return std::max(least, absl::ZeroDuration());
  }

  absl::Status TakeKey(KeyMaker::Made made) {
    const size_t pair = made.pair;
    keys_[pair] = std::move(made.key);
    std::vector<size_t>& same = of_key_[keys_[pair].key];
    same.push_back(pair);
    // Another pair that reads the same was here before, and may have its result already.
    if (same.size() > 1) {
      const PairResult& other = run_.results[same[0]];
      return other.outcome.empty() ? absl::OkStatus() : Done(pair, other, /*is_new=*/false);
    }
    const std::optional<PairResult> kept = store_.Find(keys_[pair].key, options_.baseline);
    if (kept.has_value() && MayKeep(*kept)) {
      keys_[pair].read = {};
      return Done(pair, *kept, /*is_new=*/false);
    }
    schedule_.Add(pair, MemoryOf(pair));
    return absl::OkStatus();
  }

  bool MayKeep(const PairResult& kept) const {
    if (kept.outcome == kKilled || kept.outcome == kChanged) return false;
    // Free memory, which is the limit by default, is never the same.
    constexpr double kNotably = 1.3;
    const absl::Duration time = absl::Seconds(kept.seconds * kNotably);
    const double memory = static_cast<double>(kept.memory_limit) * kNotably;
    if (kept.outcome == kTimedOut && limits_.time > time) return false;
    if (kept.outcome == kOutOfMemory && static_cast<double>(limits_.memory) > memory) return false;
    if (options_.pages == PairPages::kAll && kept.page.empty() && kept.compared()) return false;
    return !options_.retry || kept.compared();
  }

  int64_t MemoryOf(size_t pair) const {
    const auto earlier = options_.earlier.find(pairs_[pair].name);
    const int64_t estimate = EstimatePairMemory(keys_[pair].bytes);
    if (earlier == options_.earlier.end() || !earlier->second.compared()) return estimate;
    return earlier->second.peak_bytes / 4 * 5;
  }

  std::vector<std::string> Command(const BatchPair& pair) const {
    std::vector<std::string> options = pair.options;
    const bool steps = std::erase(options, kGeneratePair) > 0;
    std::vector<std::string> command;
    if (steps) command.emplace_back("generate");
    command.push_back(pair.left);
    if (!pair.right.empty()) command.push_back(pair.right);
    command.insert(command.end(), {"--threads", absl::StrCat(options_.threads)});
    if (!pair.against.empty()) command.insert(command.end(), {"--against", pair.against});
    if (!pair.inputs.empty()) command.insert(command.end(), {"--inputs", pair.inputs});
    command.insert(command.end(), options.begin(), options.end());
    command.emplace_back("--quiet");
    if (steps) {
      command.insert(command.end(), {"--json", "report.json"});
    } else {
      command.insert(command.end(), {"--format", "json", "--output", "report.json"});
    }
    if (options_.pages != PairPages::kNone) {
      command.insert(command.end(), {"--html", "report.html"});
    }
    return command;
  }

  absl::Status StartPair(size_t pair) {
    OC_ASSIGN_OR_RETURN(std::string folder, store_.MakeRunFolder(keys_[pair].key));
    absl::StatusOr<std::unique_ptr<PairProcess>> process =
        PairProcess::Start(*starter_, Command(pairs_[pair]), folder, limits_);
    if (!process.ok()) {
      ResultStore::Discard(folder);
      return process.status();
    }
    running_.push_back({pair, MemoryOf(pair), std::move(folder), *std::move(process)});
    return absl::OkStatus();
  }

  absl::Status TakeEnd(const Running& running, const PairEnd& end) {
    const int64_t ended_for_memory = EndedForMemory();
    PairResult result =
        ResultOfEnd(end, running.folder, limits_.memory,
                    std::exchange(ended_for_memory_, ended_for_memory) != ended_for_memory);
    // A full disk is no property of the pair.
    if (result.report.empty() && (absl::StrContains(end.errors, "cannot write report.") ||
                                  ResultStore::CannotWriteTo(running.folder))) {
      return absl::ResourceExhaustedError(
          absl::StrCat("cannot write to ", store_.folder(), ": is the disk full?"));
    }
    // Nobody knows of which content the result is.
    if (!IsAsRead(keys_[running.pair])) SetChanged(&result);
    keys_[running.pair].read = {};
    result.key = keys_[running.pair].key;
    result.model_bytes = keys_[running.pair].bytes;
    result.version = options_.version;
    result.finished = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
    JudgeByPair(pairs_[running.pair], &result);
    if (options_.pages == PairPages::kUnexpected && result.as_expected && !result.page.empty()) {
      std::remove(absl::StrCat(running.folder, "/", result.page).c_str());
      result.page.clear();
    }
    OC_RETURN_IF_ERROR(store_.Keep(running.folder, &result));
    bool is_new = true;
    for (const size_t pair : of_key_[result.key]) {
      OC_RETURN_IF_ERROR(Done(pair, result, std::exchange(is_new, false)));
    }
    return absl::OkStatus();
  }

  absl::Status Done(size_t pair, PairResult result, bool is_new) {
    JudgeByPair(pairs_[pair], &result);
    OC_RETURN_IF_ERROR(AppendLine(store_.Path("running.jsonl"), PairResultJson(result)));
    ++(is_new ? run_.computed : run_.kept);
    ++done_;
    if (!result.as_expected) ++unexpected_;
    if (options_.on_result) options_.on_result(result, is_new);
    run_.results[pair] = std::move(result);
    // For the line of progress, which another thread writes.
    shown_done_ = static_cast<int64_t>(done_);
    shown_new_ = run_.computed;
    shown_unexpected_ = unexpected_;
    return absl::OkStatus();
  }

  // "137 of 2000 pairs, 3 not as expected, 12.0 s, about 160 s left".
  std::string Text(double seconds) const {
    const int64_t done = shown_done_;
    const int64_t computed = shown_new_;
    const auto total = static_cast<int64_t>(pairs_.size());
    std::string text = absl::StrCat(done, " of ", Count(total, "pair"));
    const int64_t unexpected = shown_unexpected_;
    if (unexpected > 0) absl::StrAppend(&text, ", ", unexpected, " not as expected");
    absl::StrAppendFormat(&text, ", %.0f s", seconds);
    if (computed > 0 && done < total) {
      // The largest come first, so that this is too much rather than too little.
      const double left =
          seconds / static_cast<double>(computed) * static_cast<double>(total - done);
      absl::StrAppend(&text, ", about ",
                      left < 120    ? absl::StrFormat("%.0f s", left)
                      : left < 7200 ? absl::StrFormat("%.0f min", left / 60)
                                    : absl::StrFormat("%.1f h", left / 3600),
                      " left");
    }
    return text;
  }

  const std::vector<BatchPair>& pairs_;
  const PairRunOptions& options_;
  ResultStore& store_;
  PairSchedule schedule_;
  ContentHashes hashes_;  // of the thread that makes keys
  std::vector<PairKey> keys_;
  PairLimits limits_;
  std::unique_ptr<PairStarter> starter_;
  std::vector<Running> running_;
  absl::flat_hash_map<std::string, std::vector<size_t>> of_key_;
  PairRun run_;
  size_t done_ = 0;
  int64_t unexpected_ = 0;
  int64_t ended_for_memory_;
  std::atomic<int64_t> shown_done_ = 0;
  std::atomic<int64_t> shown_new_ = 0;
  std::atomic<int64_t> shown_unexpected_ = 0;
};

}  // namespace

absl::StatusOr<PairRun> RunPairs(const std::vector<BatchPair>& pairs, const PairRunOptions& options,
                                 ResultStore& store) {
  return PairRunner(pairs, options, store).Run();
}

}  // namespace onnxcmp::cli
