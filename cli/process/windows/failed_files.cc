#include "cli/process/failed_files.h"

#include <windows.h>

#include <cstdlib>

namespace onnxcmp::cli {
namespace {

constexpr char kLostPage[] = "a file cannot be read any more: it was cut short, or its disk fails";

LONG CALLBACK OnLostPage(EXCEPTION_POINTERS* pointers) {
  if (pointers->ExceptionRecord->ExceptionCode != EXCEPTION_IN_PAGE_ERROR) {
    return EXCEPTION_CONTINUE_SEARCH;
  }
  // Only what works in any state of the program.
  const HANDLE errors = GetStdHandle(STD_ERROR_HANDLE);
  DWORD written = 0;
  WriteFile(errors, "onnxcmp: ", 9, &written, nullptr);
  WriteFile(errors, kLostPage, sizeof(kLostPage) - 1, &written, nullptr);
  WriteFile(errors, "\n", 1, &written, nullptr);
  std::_Exit(kLostPageStatus);
}

}  // namespace

void TellOfFailedFiles() { AddVectoredExceptionHandler(/*First=*/1, OnLostPage); }

int LostPageSignal() { return 0; }

std::string LostPageText(const void* /*address*/) { return kLostPage; }

}  // namespace onnxcmp::cli
