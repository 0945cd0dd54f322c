#include "evaluator/base/os/posix/process_calls.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "evaluator/base/os/processes.h"

namespace onnxcmp {
namespace {

// A program that another thread starts just before this has the descriptors.
bool CloseOnExec(const std::array<int, 2>& ends) {
  return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

bool MakePipe(std::array<int, 2>* ends) { return pipe(ends->data()) == 0 && CloseOnExec(*ends); }

bool MakeSockets(std::array<int, 2>* ends) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends->data()) != 0 || !CloseOnExec(*ends)) return false;
  const int on = 1;
  return setsockopt((*ends)[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on)) == 0;
}

int MakeMemoryFile(const char* /*name*/) {
  char path[] = "/tmp/onnxcmp-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return -1;
  unlink(path);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  return file;
}

// MakeSockets() has set it.
int64_t SendQuietly(int socket, absl::string_view bytes) {
  return send(socket, bytes.data(), bytes.size(), 0);
}

// All but what the actions hand over is closed.
const int kSpawnFlags = POSIX_SPAWN_CLOEXEC_DEFAULT;

void CloseOthers(posix_spawn_file_actions_t* /*actions*/) {}

void EndWithParent() {}  // there is no such call

void CloseFrom(int first) {
  for (int file = getdtablesize() - 1; file >= first; --file) close(file);
}

std::string SignalDescription(int number) {
  return number > 0 && number < NSIG ? sys_siglist[number] : "";
}

int LastSignal() { return NSIG - 1; }

}  // namespace onnxcmp
