#include "evaluator/base/os/pages.h"

#include <io.h>
#include <windows.h>

#include <cerrno>

#include "evaluator/base/os/windows/last_error.h"

namespace onnxcmp {

size_t PageSize() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

std::byte* MapMemory(size_t bytes) {
  return static_cast<std::byte*>(
      VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

void UnmapMemory(std::byte* data, size_t /*bytes*/) { VirtualFree(data, 0, MEM_RELEASE); }

void DiscardPages(std::byte* data, size_t bytes) {
  VirtualAlloc(data, bytes, MEM_RESET, PAGE_READWRITE);
  // Pages that are not locked leave the working set by that, although it is an error.
  VirtualUnlock(data, bytes);
}

// Large pages take a right that users lack.
void PreferLargePages(std::byte* /*data*/, size_t /*bytes*/) {}
void BackPages(std::byte* /*data*/, size_t /*bytes*/) {}

const std::byte* MapFile(int file, int64_t bytes) {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
  const HANDLE mapping = CreateFileMappingA(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (mapping == nullptr) {
    errno = LastError();
    return nullptr;
  }
  const void* data = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, static_cast<SIZE_T>(bytes));
  if (data == nullptr) errno = LastError();
  CloseHandle(mapping);  // the view keeps it
  return static_cast<const std::byte*>(data);
}

void UnmapFile(const std::byte* data, int64_t /*bytes*/) { UnmapViewOfFile(data); }

void BringFilePages(const std::byte* data, int64_t bytes) {
  WIN32_MEMORY_RANGE_ENTRY range = {const_cast<std::byte*>(data), static_cast<SIZE_T>(bytes)};
  PrefetchVirtualMemory(GetCurrentProcess(), 1, &range, 0);
}

void DropFilePages(const std::byte* data, int64_t bytes) {
  VirtualUnlock(const_cast<std::byte*>(data), static_cast<SIZE_T>(bytes));  // as above
}

}  // namespace onnxcmp
