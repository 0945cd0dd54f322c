// The order in which pairs are started, so that memory suffices.
#ifndef ONNXCMP_CLI_BATCH_PAIR_SCHEDULE_H_
#define ONNXCMP_CLI_BATCH_PAIR_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>

namespace onnxcmp::cli {

class PairSchedule {
 public:
  // `memory`: bytes that all that run at once may take.
  explicit PairSchedule(int64_t memory) : memory_(memory) {}

  // Waiting pairs are tried in the order in which they are added.
  void Add(size_t pair, int64_t memory) { waiting_.push_back({pair, memory}); }
  bool empty() const { return waiting_.empty(); }
  int64_t size() const { return static_cast<int64_t>(waiting_.size()); }

  // The next pair that fits beside those that run, which then runs, too. One that is too large for
  // all of the memory runs alone. A pair that others have overtaken a number of times is next.
  std::optional<size_t> Start();
  void End(int64_t memory);

 private:
  struct Waiting {
    size_t pair;
    int64_t memory;
  };

  const int64_t memory_;
  std::list<Waiting> waiting_;
  int64_t used_ = 0;
  int64_t running_ = 0;
  int overtaken_ = 0;  // the first one that waits, by how many
};

// Bytes that a comparison of models of this size takes, about.
int64_t EstimatePairMemory(int64_t model_bytes);

// Bytes of the machine, or of the control group that we are in, that are free for a batch.
int64_t MemoryForPairs();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_SCHEDULE_H_
