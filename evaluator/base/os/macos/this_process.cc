#include "evaluator/base/os/this_process.h"

#include <mach-o/dyld.h>
#include <mach/mach.h>

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace onnxcmp {

HeldMemory::HeldMemory() : source_(-1) {}

HeldMemory::~HeldMemory() = default;

int64_t HeldMemory::Bytes() const {
  task_vm_info_data_t info = {};
  mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
  const kern_return_t got =
      task_info(mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return got == KERN_SUCCESS ? static_cast<int64_t>(info.phys_footprint) : 0;
}

std::string RunningProgram() { return ProgramPath(); }

std::string ProgramPath() {
  uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (_NSGetExecutablePath(path.data(), &size) != 0) return "";
  path.resize(path.find('\0'));
  // Through links, as what lies beside the program does.
  std::error_code error;
  const std::string whole = std::filesystem::canonical(path, error).string();
  return error ? path : whole;
}

}  // namespace onnxcmp
