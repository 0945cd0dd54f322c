#include "tools/reduce/prober.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "evaluator/base/status_macros.h"
#include "record/base/write_file.h"
#include "record/streams/hash128.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {

Prober::Prober(FailureTest* test, int jobs, std::string journal, Counted counted)
    : test_(test), jobs_(jobs), journal_(std::move(journal)), counted_(std::move(counted)) {}

void Prober::ReadJournal() {
  if (journal_.empty()) return;
  const Hash128 key = HashOfText(test_->key());
  const std::string head = absl::StrFormat("onnxcmp reduce %016x%016x", key.high, key.low);
  std::ifstream file(journal_);
  std::string line;
  if (!std::getline(file, line) || line != head) {
    (void)WriteFile(journal_, head + "\n");
    return;
  }
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string hash, escaped;
    int fails = 0;
    if (!(words >> hash >> fails) || hash.size() != 32) continue;
    ReduceTrial trial;
    trial.fails = fails != 0;
    if (std::getline(words, escaped)) (void)absl::CUnescape(escaped.substr(1), &trial.how);
    known_.emplace(hash, std::move(trial));
    ++resumed_;
  }
}

int64_t Prober::runs() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return runs_;
}

absl::Status Prober::Remember(const ReduceCandidate& candidate, const ReduceTrial& trial) {
  int64_t runs = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    known_[candidate.hash] = trial;
    runs = ++runs_;
    if (!journal_.empty()) {
      std::ofstream(journal_, std::ios::app) << candidate.hash << ' ' << (trial.fails ? 1 : 0)
                                             << ' ' << absl::CEscape(trial.how) << '\n';
    }
  }
  if (counted_) counted_(runs);
  return absl::OkStatus();
}

// Always anew: the failure that all others are held against is not in the journal.
absl::StatusOr<ReduceTrial> Prober::Begin(const ReduceCandidate& whole) {
  OC_ASSIGN_OR_RETURN(ReduceTrial trial, test_->Begin(whole));
  if (!trial.fails) return trial;
  ReadJournal();
  OC_RETURN_IF_ERROR(Remember(whole, trial));
  return trial;
}

absl::StatusOr<ReduceTrial> Prober::Try(const ReduceCandidate& candidate) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = known_.find(candidate.hash);
    if (known != known_.end()) return known->second;
  }
  OC_ASSIGN_OR_RETURN(ReduceTrial trial, test_->Try(candidate));
  OC_RETURN_IF_ERROR(Remember(candidate, trial));
  return trial;
}

absl::StatusOr<ReduceTrial> Prober::TryAgain(const ReduceCandidate& candidate) {
  OC_ASSIGN_OR_RETURN(ReduceTrial trial, test_->Try(candidate));
  int64_t runs = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    runs = ++runs_;
  }
  if (counted_) counted_(runs);
  return trial;
}

absl::Status Prober::Ahead(const std::vector<const ReduceCandidate*>& candidates) {
  if (jobs_ < 2 || candidates.size() < 2) return absl::OkStatus();
  std::vector<absl::Status> statuses(candidates.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < candidates.size() && i < static_cast<size_t>(jobs_); ++i) {
    threads.emplace_back([&, i] { statuses[i] = Try(*candidates[i]).status(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& status : statuses) OC_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

}  // namespace onnxcmp
