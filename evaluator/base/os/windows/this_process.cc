#include "evaluator/base/os/this_process.h"

#include <windows.h>
// It needs the other.
#include <psapi.h>

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace onnxcmp {
namespace {

PROCESS_MEMORY_COUNTERS_EX Counters() {
  PROCESS_MEMORY_COUNTERS_EX counters = {};
  counters.cb = sizeof(counters);
  GetProcessMemoryInfo(GetCurrentProcess(), reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&counters),
                       sizeof(counters));
  return counters;
}

std::string PathOf(HMODULE module) {
  constexpr size_t kLongest = 32768;
  std::string path(kLongest, '\0');
  path.resize(GetModuleFileNameA(module, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

}  // namespace

int ProcessNumber() { return static_cast<int>(GetCurrentProcessId()); }

int64_t PeakMemory() { return static_cast<int64_t>(Counters().PeakWorkingSetSize); }

HeldMemory::HeldMemory() : source_(-1) {}

HeldMemory::~HeldMemory() = default;

int64_t HeldMemory::Bytes() const { return static_cast<int64_t>(Counters().PrivateUsage); }

std::string RunningProgram() { return ProgramPath(); }

std::string ProgramPath() { return PathOf(nullptr); }

std::string LibraryOf(const void* code) {
  HMODULE module = nullptr;
  const DWORD how =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(how, static_cast<const char*>(code), &module)) return "";
  const std::string path = PathOf(module);
  const bool program = absl::EndsWith(absl::AsciiStrToLower(path), ".exe");
  return program ? "" : path;
}

}  // namespace onnxcmp
