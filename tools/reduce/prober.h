// Candidates tried: each once, several at a time, with a journal from which to resume.
#ifndef ONNXCMP_TOOLS_REDUCE_PROBER_H_
#define ONNXCMP_TOOLS_REDUCE_PROBER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/reduce/candidate.h"
#include "tools/reduce/failure_test.h"

namespace onnxcmp {

class Prober {
 public:
  using Counted = std::function<void(int64_t runs)>;
  // `journal`: a file of earlier answers, and for those to come; "": none. Answers of another test,
  // or to another failure, are passed over. `counted` is told after each run; may be called by
  // several threads.
  Prober(FailureTest* test, int jobs, std::string journal, Counted counted);

  absl::StatusOr<ReduceTrial> Begin(const ReduceCandidate& whole);
  absl::StatusOr<ReduceTrial> Try(const ReduceCandidate& candidate);
  // The same without regard to an earlier answer, and none is remembered.
  absl::StatusOr<ReduceTrial> TryAgain(const ReduceCandidate& candidate);
  // Tries candidates that may be asked for next, at the same time.
  absl::Status Ahead(const std::vector<const ReduceCandidate*>& candidates);

  int jobs() const { return jobs_; }
  int64_t runs() const;
  int64_t resumed() const { return resumed_; }  // answers from the journal

 private:
  void ReadJournal();
  absl::Status Remember(const ReduceCandidate& candidate, const ReduceTrial& trial);

  FailureTest* const test_;
  const int jobs_;
  const std::string journal_;
  const Counted counted_;
  mutable std::mutex mutex_;  // guards the members below
  absl::flat_hash_map<std::string, ReduceTrial> known_;
  int64_t runs_ = 0;
  int64_t resumed_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_PROBER_H_
