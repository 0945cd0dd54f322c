#include "cli/process/free_memory.h"

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

int64_t FreeMemory() {
  const int64_t free = AvailableMemory();
  const int64_t in_group = FreeInGroup();
  if (free == 0 || in_group == 0) return std::max(free, in_group);
  return std::min(free, in_group);
}

}  // namespace onnxcmp::cli
