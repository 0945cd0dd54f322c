// Compiled for any processor of its architecture, as main.cc is.
#include "cli/process/first_calls.h"

#include <unistd.h>

#include <cstring>

namespace onnxcmp::cli {

void WriteFirst(const char* text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

void EndAtOnce(int status) { _exit(status); }

void RunOlderProgram(char** arguments, char** environment) {
  constexpr char kEnding[] = "-x86-64-v2";
  char path[4096 + sizeof(kEnding)];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - sizeof(kEnding));
  if (size <= 0) return;
  std::memcpy(path + size, kEnding, sizeof(kEnding));
  execve(path, arguments, environment);
}

}  // namespace onnxcmp::cli
