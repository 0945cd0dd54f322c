#include "cli/process/end_signals.h"

#include <windows.h>

#include <algorithm>
#include <atomic>
#include <csignal>

namespace onnxcmp::cli {
namespace {

constexpr DWORD kEndedByControlC = 0xC000013A;  // the exit status that Windows has for it

// The console's last event, for the thread that waits; a handler gets nothing else handed over.
struct ConsoleEnd {
  std::atomic<int> number = 0;
  HANDLE event = CreateEventA(nullptr, TRUE, FALSE, nullptr);
};
ConsoleEnd& TheConsoleEnd() {
  static auto* const end = new ConsoleEnd();
  return *end;
}

// On a thread of its own. Windows ends the program when it returns, unless that was Ctrl-C.
BOOL WINAPI OnConsole(DWORD event) {
  TheConsoleEnd().number = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM;
  SetEvent(TheConsoleEnd().event);
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

void EndSignals::Block() { SetConsoleCtrlHandler(OnConsole, TRUE); }

int EndSignals::Wait(absl::Duration timeout, const void** /*lost_page*/) const {
  const absl::Duration most = std::min(timeout, absl::Hours(1));
  const auto time = timeout == absl::InfiniteDuration()
                        ? INFINITE
                        : static_cast<DWORD>(absl::ToInt64Milliseconds(most));
  WaitForSingleObject(TheConsoleEnd().event, time);
  return TheConsoleEnd().number;
}

void EndSignals::EndBy(int /*number*/) const { ExitProcess(kEndedByControlC); }

}  // namespace onnxcmp::cli
