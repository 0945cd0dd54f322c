#include "evaluator/base/os/terminal.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdlib>
#include <initializer_list>

namespace onnxcmp {
namespace {

HANDLE ConsoleOf(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

}  // namespace

void PrepareTerminals() {
  _set_fmode(_O_BINARY);  // of files that are opened from now on
  for (const int file : {0, kOutputFile, kErrorFile}) _setmode(file, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  ShowsColor(kOutputFile);
  ShowsColor(kErrorFile);
}

bool IsTerminal(int file) {
  DWORD mode = 0;  // the null device is a terminal for isatty()
  return GetConsoleMode(ConsoleOf(file), &mode) != 0;
}

TerminalExtent ExtentOfTerminal(int file) {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (GetConsoleScreenBufferInfo(ConsoleOf(file), &info) == 0) return {};
  return {info.srWindow.Right - info.srWindow.Left + 1,
          info.srWindow.Bottom - info.srWindow.Top + 1};
}

bool ShowsColor(int file) {
  DWORD mode = 0;
  return GetConsoleMode(ConsoleOf(file), &mode) != 0 &&
         SetConsoleMode(ConsoleOf(file), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

}  // namespace onnxcmp
