// Functions that glibc has got since the version that wheels are linked for
// (script/wheel_libraries): our code, libstdc++ and Abseil are compiled where it has them. They
// call glibc's own if it is there when they run.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

// Calls use(descriptor) for those that are open, from first to last. Allocates nothing, for
// children of fork(). False if they cannot be listed.
template <typename Use>
bool ForOpenDescriptors(unsigned first, unsigned last, Use use) {
  const int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  alignas(dirent64) char block[4096];
  long size;
  while ((size = syscall(SYS_getdents64, folder, block, sizeof(block))) > 0) {
    for (long at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(block + at);
      at += entry->d_reclen;
      char* end;
      const unsigned long number = strtoul(entry->d_name, &end, 10);
      if (end == entry->d_name || number == static_cast<unsigned long>(folder)) continue;
      if (number >= first && number <= last) use(static_cast<int>(number));
    }
  }
  close(folder);
  return size == 0;
}

}  // namespace

extern "C" {

// 2.32. False is always right: references are counted with atomic operations.
char __libc_single_threaded = 0;

// 2.30.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  using Function = int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static auto* const newer =
      reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));
  if (newer != nullptr) return newer(condition, mutex, clock, until);
  timespec now;
  timespec at;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += until->tv_sec - now.tv_sec;
  at.tv_nsec += until->tv_nsec - now.tv_nsec;
  constexpr long kSecond = 1'000'000'000;
  if (at.tv_nsec < 0) {
    at.tv_nsec += kSecond;
    --at.tv_sec;
  } else if (at.tv_nsec >= kSecond) {
    at.tv_nsec -= kSecond;
    ++at.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &at);
}

// 2.32. Numbers of real-time signals have no description.
const char* sigdescr_np(int number) {
  return number < 1 || number > 31 ? nullptr : strsignal(number);
}

// 2.34, Linux 5.9.
int close_range(unsigned first, unsigned last, int flags) {
  const long result = syscall(SYS_close_range, first, last, flags);
  if (result == 0 || errno != ENOSYS || flags != 0) return static_cast<int>(result);
  return ForOpenDescriptors(first, last, [](int descriptor) { close(descriptor); }) ? 0 : -1;
}

// 2.34. A descriptor that another thread opens from here on is closed only if it is O_CLOEXEC.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  using Function = int(posix_spawn_file_actions_t*, int);
  auto* const newer =
      reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np"));
  if (newer != nullptr) return newer(actions, first);
  int error = 0;
  const bool listed = ForOpenDescriptors(first, UINT_MAX, [&](int descriptor) {
    const int failed = posix_spawn_file_actions_addclose(actions, descriptor);
    if (failed != 0) error = failed;
  });
  return listed ? error : errno;
}

}  // extern "C"
