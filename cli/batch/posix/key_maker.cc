#include "cli/batch/key_maker.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace onnxcmp::cli {

KeyMaker::KeyMaker(const std::vector<BatchPair>& pairs, std::vector<size_t> order,
                   std::function<std::string(const BatchPair&)> depends_on, ContentHashes& hashes)
    : thread_([this, &pairs, &hashes, order = std::move(order), depends_on = std::move(depends_on),
               taker = pthread_self()] {
        for (const size_t pair : order) {
          PairKey key = KeyOfPair(pairs[pair], depends_on(pairs[pair]), &hashes);
          {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (stopped_) return;
            made_.push_back({pair, std::move(key)});
          }
          pthread_kill(taker, SIGCHLD);
        }
      }) {}

KeyMaker::~KeyMaker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  thread_.join();
}

std::vector<KeyMaker::Made> KeyMaker::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(made_, {});
}

}  // namespace onnxcmp::cli
