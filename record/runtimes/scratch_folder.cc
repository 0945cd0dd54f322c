#include "record/runtimes/scratch_folder.h"

#include <filesystem>
#include <system_error>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

constexpr absl::Duration kKeeperPatience = absl::Seconds(30);

// The leader of a group that is told to end may first end what it started in other sessions.
// The folder is removed more than once, since a process that is being killed may still write.
constexpr char kKeeper[] = R"(trap '' PIPE INT TERM HUP
dir=$(mktemp -d "${TMPDIR:-/tmp}/onnxcmp-runtime-XXXXXX") || exit 1
group=0
while read -r what value; do
  case $what in
    folder) printf '%s\n' "$dir" ;;
    guard) group=$value; echo done ;;
  esac
done
if [ "$group" != 0 ]; then
  kill "$group" 2>/dev/null
  for pause in 0.02 0.05 0.1 0.3 0.5 1; do
    if [ -e /proc/self/stat ]; then
      { read -r state < "/proc/$group/stat"; } 2>/dev/null || break
      case $state in *') Z '*) break ;; esac
    else
      kill -0 "$group" 2>/dev/null || break
    fi
    sleep "$pause"
  done
  kill -9 -- "-$group" 2>/dev/null
fi
for pause in 0.05 0.2 1 2; do
  rm -rf -- "$dir" 2>/dev/null
  [ -e "$dir" ] || exit 0
  sleep "$pause"
done)";

}  // namespace

absl::StatusOr<std::unique_ptr<ScratchFolder>> ScratchFolder::Create() {
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ChildProcess> keeper,
                      ChildProcess::Start({"/bin/sh", "-c", kKeeper}));
  absl::StatusOr<std::string> path = keeper->Ask("folder", kKeeperPatience);
  if (!path.ok()) {
    return absl::UnavailableError(
        absl::StrCat("no temporary folder could be made: ", keeper->errors()));
  }
  return absl::WrapUnique(new ScratchFolder(std::move(keeper), *std::move(path)));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  keeper_->Finish(kKeeperPatience);
}

absl::Status ScratchFolder::Guard(pid_t group) {
  return keeper_->Ask(absl::StrCat("guard ", group), kKeeperPatience).status();
}

}  // namespace onnxcmp
