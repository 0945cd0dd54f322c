#include "cli/process/heap.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace onnxcmp::cli {
namespace {

// Larger files are mostly weights, which lie elsewhere: a million nodes take 64 MB on both sides.
constexpr uint64_t kLeastOfNodes = uint64_t{170} << 10;
constexpr uint64_t kMostOfNodes = uint64_t{96} << 20;
// Bytes in the heap for each byte in a file of nodes, including a comparison's own blocks.
// Untouched memory costs nothing.
constexpr uint64_t kForEach = 112;
constexpr uint64_t kMost = uint64_t{2047} << 20;  // GrowHeap() has it as an int

}  // namespace

void ExpectModels(absl::Span<const std::string> paths) {
  uint64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    if (!error) bytes += size;
  }
  if (bytes >= kLeastOfNodes && bytes <= kMostOfNodes) GrowHeap(std::min(kForEach * bytes, kMost));
}

}  // namespace onnxcmp::cli
