// Starting processes.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_POSIX_SPAWN_H_
#define ONNXCMP_EVALUATOR_BASE_OS_POSIX_SPAWN_H_

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace onnxcmp {

// Settings for posix_spawn: its own session, no signal blocked or ignored, three descriptors.
class SpawnSettings {
 public:
  SpawnSettings(int input, int output, int errors);
  ~SpawnSettings();
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // As posix_spawnp.
  int Spawn(const std::vector<std::string>& arguments, pid_t* pid) const;

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_POSIX_SPAWN_H_
