// Makes the keys of pairs while others are compared.
#ifndef ONNXCMP_CLI_BATCH_KEY_MAKER_H_
#define ONNXCMP_CLI_BATCH_KEY_MAKER_H_

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/batch/batch_pair.h"
#include "cli/batch/content_key.h"

namespace onnxcmp::cli {

// Reads files on a thread of its own, which sends SIGCHLD to the thread that made the object
// whenever there are new keys.
class KeyMaker {
 public:
  struct Made {
    size_t pair;
    PairKey key;
  };

  // `order`: indices of pairs. All must outlive the object.
  KeyMaker(const std::vector<BatchPair>& pairs, std::vector<size_t> order,
           std::function<std::string(const BatchPair&)> depends_on, ContentHashes& hashes);
  // Ends the thread after the pair that it reads.
  ~KeyMaker();
  KeyMaker(const KeyMaker&) = delete;
  KeyMaker& operator=(const KeyMaker&) = delete;

  // The keys made since the last call, in order.
  std::vector<Made> Take();

 private:
  std::mutex mutex_;  // guards the two below
  std::vector<Made> made_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_KEY_MAKER_H_
