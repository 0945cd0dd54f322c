#include "cli/process/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cli/process/messages.h"

namespace onnxcmp::cli {
namespace {

// Within it a thread fills some 10 MB of fresh pages.
constexpr std::chrono::milliseconds kInterval(2);

// Bytes in pages that belong to no file, from /proc/self/statm.
std::optional<int64_t> BytesHeld(int statm, int64_t page) {
  std::array<char, 128> text{};
  if (pread(statm, text.data(), text.size() - 1, 0) <= 0) return std::nullopt;
  long long resident = 0;  // NOLINT(google-runtime-int): as sscanf has it
  long long shared = 0;    // NOLINT(google-runtime-int)
  // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers.
  if (std::sscanf(text.data(), "%*d %lld %lld", &resident, &shared) != 2) return std::nullopt;
  return (resident - shared) * page;
}

}  // namespace

void EndAbove(int64_t limit, int status) {
  const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const int64_t page = sysconf(_SC_PAGESIZE);
  if (statm < 0 || page <= 0 || !BytesHeld(statm, page).has_value()) return;
  std::thread([statm, page, limit, status] {
    while (BytesHeld(statm, page).value_or(0) <= limit + kOwnMemory) {
      std::this_thread::sleep_for(kInterval);
    }
    PrintError(absl::StrCat("the program holds more than --max-memory allows, ", limit,
                            " bytes and ", kOwnMemory, " for itself; it ends here"));
    _exit(status);
  }).detach();
}

}  // namespace onnxcmp::cli
