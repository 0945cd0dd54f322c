#include "evaluator/base/os/this_process.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include "absl/strings/match.h"

namespace onnxcmp {

int ProcessNumber() { return getpid(); }

int64_t PeakMemory() {
#ifdef __APPLE__
  constexpr int kUnit = 0;  // bytes
#else
  constexpr int kUnit = 10;  // KiB
#endif
  rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? int64_t{usage.ru_maxrss} << kUnit : 0;
}

std::string LibraryOf(const void* code) {
  Dl_info info = {};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return "";
  const bool library =
      absl::EndsWith(info.dli_fname, ".so") || absl::EndsWith(info.dli_fname, ".dylib");
  return library ? info.dli_fname : "";
}

}  // namespace onnxcmp
