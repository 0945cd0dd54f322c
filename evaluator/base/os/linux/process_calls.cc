#include "evaluator/base/os/posix/process_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "evaluator/base/os/processes.h"

namespace onnxcmp {

bool MakePipe(std::array<int, 2>* ends) { return pipe2(ends->data(), O_CLOEXEC) == 0; }

bool MakeSockets(std::array<int, 2>* ends) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->data()) == 0;
}

int MakeMemoryFile(const char* name) { return memfd_create(name, MFD_CLOEXEC); }

int64_t SendQuietly(int socket, absl::string_view bytes) {
  return send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

const int kSpawnFlags = 0;

void CloseOthers(posix_spawn_file_actions_t* actions) {
  posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
}

void EndWithParent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

void CloseFrom(int first) { close_range(static_cast<unsigned>(first), ~0U, 0); }

std::string SignalDescription(int number) {
  const char* description = sigdescr_np(number);
  return description == nullptr ? "" : description;
}

int LastSignal() { return SIGRTMAX; }

}  // namespace onnxcmp
