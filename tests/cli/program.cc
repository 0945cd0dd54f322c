#include "tests/cli/program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/load_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

// Runs argv[0] with its output in files, so that no pipe can fill up.
Outcome Spawn(const std::vector<std::string>& argv, int signal = 0, int milliseconds = 0) {
  const TestFolder folder;
  const std::string out = folder.Path("out");
  const std::string err = folder.Path("err");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
  std::vector<char*> pointers;
  for (const std::string& argument : argv) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  Outcome outcome;
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0].c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0) << argv[0];
  if (error == 0) {
    if (signal != 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      kill(pid, signal);
    }
    int status = 0;
    struct rusage used {};
    EXPECT_EQ(wait4(pid, &status, 0, &used), pid);
    outcome.peak = int64_t{1024} * used.ru_maxrss;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    outcome.out = ReadFile(out);
    outcome.err = ReadFile(err);
  }
  return outcome;
}

}  // namespace

Outcome Onnxcmp(const std::vector<std::string>& arguments) {
  return OnnxcmpInterrupted(arguments, 0, 0);
}

Outcome OnnxcmpInterrupted(const std::vector<std::string>& arguments, int signal,
                           int milliseconds) {
  std::vector<std::string> argv = {OnnxcmpProgram()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return Spawn(argv, signal, milliseconds);
}

Outcome Shell(const std::string& command) {
  return Spawn({"/bin/bash", "-c", "ONNXCMP='" + OnnxcmpProgram() + "'\n" + command});
}

std::string WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

}  // namespace onnxcmp::testing
