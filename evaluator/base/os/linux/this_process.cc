#include "evaluator/base/os/this_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace onnxcmp {

HeldMemory::HeldMemory() : source_(open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

HeldMemory::~HeldMemory() {
  if (source_ >= 0) close(source_);
}

int64_t HeldMemory::Bytes() const {
  const int64_t page = sysconf(_SC_PAGESIZE);
  std::array<char, 128> text{};
  if (page <= 0 || pread(source_, text.data(), text.size() - 1, 0) <= 0) return 0;
  long long resident = 0;  // NOLINT(google-runtime-int): as sscanf has it
  long long shared = 0;    // NOLINT(google-runtime-int)
  // NOLINTNEXTLINE(cert-err34-c): the kernel's own numbers.
  if (std::sscanf(text.data(), "%*d %lld %lld", &resident, &shared) != 2) return 0;
  return (resident - shared) * page;
}

std::string RunningProgram() { return "/proc/self/exe"; }

std::string ProgramPath() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace onnxcmp
