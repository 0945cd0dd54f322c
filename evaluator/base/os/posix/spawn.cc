#include "evaluator/base/os/posix/spawn.h"

#include <unistd.h>

#include <csignal>

#include "evaluator/base/os/posix/process_calls.h"

extern "C" char** environ;

namespace onnxcmp {

SpawnSettings::SpawnSettings(int input, int output, int errors) {
  posix_spawnattr_init(&attributes_);
  posix_spawn_file_actions_init(&actions_);
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &all);
  posix_spawnattr_setflags(
      &attributes_, static_cast<short>(kSpawnFlags | POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF));
  posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  CloseOthers(&actions_);
}

SpawnSettings::~SpawnSettings() {
  posix_spawn_file_actions_destroy(&actions_);
  posix_spawnattr_destroy(&attributes_);
}

int SpawnSettings::Spawn(const std::vector<std::string>& arguments, pid_t* pid) const {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return posix_spawnp(pid, argv[0], &actions_, &attributes_, argv.data(), environ);
}

}  // namespace onnxcmp
