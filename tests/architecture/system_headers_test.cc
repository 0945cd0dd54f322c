// Headers that only some systems have stand where only those compile them.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/architecture/project_files.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Names that end in a slash stand for all headers of that folder.
struct SystemHeaders {
  std::vector<absl::string_view> names;
  std::vector<absl::string_view> folders;  // that may have them
};

// The first that has a header counts.
const std::vector<SystemHeaders>& Systems() {
  static const auto& systems = *new std::vector<SystemHeaders>{
      {{"sys/types.h"}, {""}},
      {{"asm/", "features.h", "linux/", "malloc.h", "sys/epoll.h", "sys/eventfd.h", "sys/inotify.h",
        "sys/prctl.h", "sys/sendfile.h", "sys/signalfd.h", "sys/syscall.h", "sys/sysinfo.h"},
       {"/linux/"}},
      {{"libproc.h", "mach/", "mach-o/", "sys/event.h", "sys/sysctl.h", "TargetConditionals.h"},
       {"/macos/"}},
      {{"io.h", "psapi.h", "winbase.h", "windows.h", "winsock2.h"}, {"/windows/"}},
      {{"fcntl.h"}, {"/linux/", "/macos/", "/posix/", "/windows/"}},
      {{"arpa/",       "dirent.h", "dlfcn.h", "glob.h",    "grp.h",     "link.h",
        "netdb.h",     "netinet/", "poll.h",  "pthread.h", "pwd.h",     "sched.h",
        "semaphore.h", "signal.h", "spawn.h", "sys/",      "termios.h", "time.h",
        "ucontext.h",  "unistd.h", "utime.h", "wordexp.h"},
       {"/linux/", "/macos/", "/posix/"}}};
  return systems;
}

bool Has(const SystemHeaders& system, absl::string_view header) {
  for (const absl::string_view name : system.names) {
    if (header == name || (name.back() == '/' && absl::StartsWith(header, name))) return true;
  }
  return false;
}

bool MayHave(const SystemHeaders& system, absl::string_view path) {
  for (const absl::string_view folder : system.folders) {
    if (absl::StrContains(path, folder)) return true;
  }
  return false;
}

// "cli/a.cc:3 includes <unistd.h>".
std::vector<std::string> MisplacedSystemHeaders(const SourceFiles& files) {
  std::vector<std::string> lines;
  for (const auto& [path, text] : files) {
    int number = 0;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number;
      if (!absl::ConsumePrefix(&line, "#include <")) continue;
      const absl::string_view header = line.substr(0, line.find('>'));
      for (const SystemHeaders& system : Systems()) {
        if (!Has(system, header)) continue;
        if (!MayHave(system, path)) {
          lines.push_back(absl::StrCat(path, ":", number, " includes <", header, ">"));
        }
        break;
      }
    }
  }
  return lines;
}

TEST(SystemHeaders, WhereTheyMayStand) {
  EXPECT_THAT(MisplacedSystemHeaders(
                  {{"cli/linux/a.cc", "#include <malloc.h>\n#include <sys/prctl.h>\n"},
                   {"cli/os/posix/a.h", "#include <sys/stat.h>\n#include <unistd.h>\n"},
                   {"cli/macos/a.cc", "#include <mach/mach.h>\n#include <signal.h>\n"},
                   {"cli/windows/a.cc", "#include <fcntl.h>\n#include <windows.h>\n"},
                   {"cli/a.cc", "#include <csignal>\n#include <sys/types.h>\n#include <zip.h>\n"}}),
              IsEmpty());
  EXPECT_THAT(
      MisplacedSystemHeaders({{"cli/a.cc", "#include <vector>\n#include <unistd.h>\n"},
                              {"cli/plain/a.cc", "#include <sys/stat.h>\n"},
                              {"cli/posix/a.cc", "#include <sys/prctl.h>\n#include <mach/a.h>\n"},
                              {"cli/windows/a.cc", "#include <unistd.h>\n"}}),
      ElementsAre("cli/a.cc:2 includes <unistd.h>", "cli/plain/a.cc:1 includes <sys/stat.h>",
                  "cli/posix/a.cc:1 includes <sys/prctl.h>", "cli/posix/a.cc:2 includes <mach/a.h>",
                  "cli/windows/a.cc:1 includes <unistd.h>"));
}

TEST(Architecture, SystemHeadersStandWhereTheirSystemCompilesThem) {
  const SourceFiles files =
      FilesOf({"cli", "compare", "evaluator", "feed", "generate", "include", "ops", "prove",
               "python", "record", "reports", "samples", "show", "testing", "tools"});
  EXPECT_GE(files.size(), 500U);
  EXPECT_EQ(Lines(MisplacedSystemHeaders(files)), "");
}

}  // namespace
}  // namespace onnxcmp
