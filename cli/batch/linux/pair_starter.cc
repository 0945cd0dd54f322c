#include "cli/batch/pair_starter.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/batch/posix/start_anew.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

constexpr int kSocket = STDERR_FILENO + 1;  // of the starter
constexpr absl::string_view kEnd("\0", 1);  // of an argument
constexpr char kBindNow[] = "LD_BIND_NOW";
constexpr size_t kTitleRoom = 4096;  // characters of a pair that `ps` shows

// The message for a process: the descriptors of its arguments and of its errors come beside it.
struct Request {
  int64_t memory;
};
// The answer.
struct Reply {
  pid_t pid;  // -1: none
  int error;
};

// A message beside which two descriptors can be sent.
class Message {
 public:
  explicit Message(Request* request) : part_{request, sizeof(*request)} {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_.data();
    header_.msg_controllen = control_.size();
  }

  bool Send(int socket, int arguments, int errors) {
    cmsghdr* const beside = CMSG_FIRSTHDR(&header_);
    beside->cmsg_level = SOL_SOCKET;
    beside->cmsg_type = SCM_RIGHTS;
    beside->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const std::array<int, 2> files = {arguments, errors};
    std::memcpy(CMSG_DATA(beside), files.data(), sizeof(files));
    ssize_t sent = 0;
    do {
      sent = sendmsg(socket, &header_, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent > 0;
  }

  // False at the end.
  bool Receive(int socket, int* arguments, int* errors) {
    ssize_t got = 0;
    do {
      got = recvmsg(socket, &header_, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    const cmsghdr* const beside = CMSG_FIRSTHDR(&header_);
    if (got != sizeof(Request) || beside == nullptr ||
        beside->cmsg_len != CMSG_LEN(2 * sizeof(int))) {
      return false;
    }
    std::array<int, 2> files{};
    std::memcpy(files.data(), CMSG_DATA(beside), sizeof(files));
    *arguments = files[0];
    *errors = files[1];
    return true;
  }

 private:
  iovec part_;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control_{};
  msghdr header_{};
};

// The first part of the life of a process that compares.
void BecomePair(const char* folder, const Request& request, int errors, pid_t parent) {
  LeadASession();
  if (getppid() != parent) _exit(kCannotStart);
  LimitPair(request.memory);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    [[maybe_unused]] const ssize_t written = write(score, "500", 3);
    close(score);
  }
  if (dup2(errors, STDERR_FILENO) < 0 || chdir(folder) != 0) _exit(kCannotStart);
  close_range(kSocket, ~0U, 0);
}

// The words of the command line of this process, as `ps` shows them, to be written over.
class ProcessTitle {
 public:
  ProcessTitle() {
    std::ifstream file("/proc/self/stat");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    // Behind the name, which may hold anything, there are numbers, from the third field on.
    constexpr size_t kBegin = 48 - 3;
    const std::vector<absl::string_view> fields =
        absl::StrSplit(absl::string_view(text).substr(text.rfind(')') + 1), ' ', absl::SkipEmpty());
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (fields.size() > kBegin + 1 && absl::SimpleAtoi(fields[kBegin], &begin) &&
        absl::SimpleAtoi(fields[kBegin + 1], &end) && begin < end) {
      room_ = absl::MakeSpan(reinterpret_cast<char*>(begin), end - begin);  // NOLINT
    }
  }

  void Set(absl::string_view title) {
    if (room_.empty()) return;
    std::fill(room_.begin(), room_.end(), '\0');
    std::copy_n(title.begin(), std::min(title.size(), room_.size() - 1), room_.begin());
  }

 private:
  absl::Span<char> room_;
};

std::string ReadAll(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::max<off_t>(size, 0)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

// Emulators and sandboxes know no such copies, though they know fork().
bool KnowsNoCopies(int error) { return error == EINVAL || error == ENOSYS || error == EPERM; }

// A copy of this process, whose parent is our parent, which waits for it. This process has one
// thread, so that no lock is held in the copy.
pid_t CopyAsSibling() {
  return static_cast<pid_t>(
      syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PairStarter>> PairStarter::Start(std::vector<std::string> program) {
  auto starter = absl::WrapUnique(new PairStarter(std::move(program)));
  OC_RETURN_IF_ERROR(starter->StartProgram());
  return starter;
}

absl::Status PairStarter::StartProgram() {
  const std::vector<std::string> words = WordsOf({kServePairs, std::string(kTitleRoom, ' ')});
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  // Symbols are looked up once for all pairs, not by each of them.
  std::vector<char*> environment;
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  std::string bind_now = absl::StrCat(kBindNow, "=1");
  environment.push_back(bind_now.data());
  environment.push_back(nullptr);
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    // Nothing may allocate memory here.
    LeadASession();
    if (getppid() != parent) _exit(kCannotStart);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    // The end may be the very descriptor, which would then be closed.
    const int end = fcntl(ends[1], F_DUPFD, kSocket + 1);
    if (null < 0 || end < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(end, kSocket) < 0) {
      _exit(kCannotStart);
    }
    close_range(kSocket + 1, ~0U, 0);
    execve(pointers[0], pointers.data(), environment.data());
    _exit(kCannotStart);
  }
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return absl::ErrnoToStatus(error, "a process cannot be started");
  }
  pid_ = pid;
  socket_ = ends[0];
  return absl::OkStatus();
}

void PairStarter::End() {
  if (pid_ < 0) return;
  close(std::exchange(socket_, -1));
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

PairStarter::~PairStarter() { End(); }

absl::StatusOr<pid_t> PairStarter::StartPair(const std::vector<std::string>& arguments,
                                             const std::string& folder, int64_t memory,
                                             int errors) {
  if (!copies_) return StartAnew(WordsOf(arguments), folder, memory, errors);
  const int words = memfd_create("onnxcmp-arguments", MFD_CLOEXEC);
  if (words < 0) return absl::ErrnoToStatus(errno, "memfd_create");
  const std::string text = absl::StrCat(folder, kEnd, absl::StrJoin(arguments, kEnd));
  const bool is_written =
      write(words, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  Request request = {memory};
  Reply reply = {-1, ECHILD};
  // The system may have ended the starter.
  for (int attempt = 0; attempt < 2 && is_written && reply.pid < 0; ++attempt) {
    if (pid_ < 0) {
      absl::Status started = StartProgram();
      if (!started.ok()) {
        close(words);
        return started;
      }
    }
    ssize_t got = 0;
    if (Message(&request).Send(socket_, words, errors)) {
      do {
        got = recv(socket_, &reply, sizeof(reply), 0);
      } while (got < 0 && errno == EINTR);
    }
    if (got == sizeof(reply)) break;
    reply = {-1, ECHILD};
    End();
  }
  close(words);
  if (reply.pid < 0 && KnowsNoCopies(reply.error)) {
    copies_ = false;
    End();
    return StartPair(arguments, folder, memory, errors);
  }
  if (reply.pid < 0) return absl::ErrnoToStatus(reply.error, "a process cannot be started");
  return reply.pid;
}

int ServePairs(absl::FunctionRef<int(const std::vector<std::string>& arguments)> run) {
  unsetenv(kBindNow);  // other programs may start sooner without it
  ProcessTitle title;
  title.Set("onnxcmp: starts pairs");
  const pid_t parent = getppid();
  while (true) {
    Request request{};
    int arguments = -1;
    int errors = -1;
    if (!Message(&request).Receive(kSocket, &arguments, &errors)) return 0;
    std::vector<std::string> words = absl::StrSplit(ReadAll(arguments), kEnd);
    close(arguments);
    const pid_t pid = CopyAsSibling();
    if (pid == 0) {
      BecomePair(words[0].c_str(), request, errors, parent);
      words.erase(words.begin());
      title.Set(absl::StrCat("onnxcmp", kEnd, absl::StrJoin(words, kEnd)));
      const int status = run(words);
      std::fflush(nullptr);
      // The process ends at once, with everything that it holds.
      _exit(status);
    }
    close(errors);
    const Reply reply = {pid, pid < 0 ? errno : 0};
    if (send(kSocket, &reply, sizeof(reply), MSG_NOSIGNAL) != sizeof(reply)) return 0;
  }
}

}  // namespace onnxcmp::cli
