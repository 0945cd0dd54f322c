#include "cli/batch/pair_schedule.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::cli {
namespace {

// Bytes of a comparison of two models that hold nothing, with its page.
constexpr int64_t kLeastMemory = int64_t{64} << 20;
constexpr int kMostOvertaken = 64;
constexpr int kMostTried = 4096;  // of a million that wait

// "MemAvailable:   123456 kB" in bytes; 0 if it is not there.
int64_t AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    int64_t kilobytes = 0;
    if (words.size() >= 2 && words[0] == "MemAvailable:" &&
        absl::SimpleAtoi(words[1], &kilobytes)) {
      return kilobytes << 10;
    }
  }
  return 0;
}

// The number in a file; 0 if there is none ("max").
int64_t NumberInFile(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  int64_t number = 0;
  return file >> word && absl::SimpleAtoi(word, &number) ? number : 0;
}

// Bytes that our control group and those around it leave free; 0 if none has a limit.
int64_t FreeInGroup() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  int64_t least = 0;
  while (std::getline(groups, line)) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const bool second = parts[0] == "0";  // version 2 has one hierarchy
    if (!second && parts[1] != "memory") continue;
    const std::string root = second ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string group = parts[2]; group.find('/') != std::string::npos;
         group.resize(group.rfind('/'))) {
      const std::string folder = absl::StrCat(root, group == "/" ? "" : group);
      const int64_t most =
          NumberInFile(absl::StrCat(folder, second ? "/memory.max" : "/memory.limit_in_bytes"));
      const int64_t used =
          NumberInFile(absl::StrCat(folder, second ? "/memory.current" : "/memory.usage_in_bytes"));
      // The first version has a number near 2^63 for none.
      if (most > 0 && most < int64_t{1} << 60) {
        const int64_t left = std::max<int64_t>(most - used, 1);
        least = least == 0 ? left : std::min(least, left);
      }
    }
  }
  return least;
}

}  // namespace

std::optional<size_t> PairSchedule::Start() {
  int tried = 0;
  for (auto it = waiting_.begin(); it != waiting_.end() && tried < kMostTried; ++it, ++tried) {
    const bool fits = running_ == 0 || used_ + it->memory <= memory_;
    if (!fits) {
      if (it == waiting_.begin() && overtaken_ >= kMostOvertaken) return std::nullopt;
      continue;
    }
    overtaken_ = it == waiting_.begin() ? 0 : overtaken_ + 1;
    const size_t pair = it->pair;
    used_ += it->memory;
    ++running_;
    waiting_.erase(it);
    return pair;
  }
  return std::nullopt;
}

void PairSchedule::End(int64_t memory) {
  used_ -= memory;
  --running_;
}

int64_t EstimatePairMemory(int64_t model_bytes) {
  // Weights stay in mapped files; what is converted, and results that are kept, grow with them.
  return kLeastMemory + 2 * model_bytes;
}

int64_t MemoryForPairs() {
  int64_t free = AvailableMemory();
  if (const int64_t in_group = FreeInGroup(); in_group > 0) {
    free = free == 0 ? in_group : std::min(free, in_group);
  }
  constexpr int64_t kUnknown = int64_t{4} << 30;
  return free == 0 ? kUnknown : free / 10 * 9;
}

}  // namespace onnxcmp::cli
