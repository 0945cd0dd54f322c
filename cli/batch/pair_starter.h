// Starts the processes of comparisons. To start this program takes longer than to compare two small
// models: a starter is started once, and copies itself for each pair, where the system can do that.
#ifndef ONNXCMP_CLI_BATCH_PAIR_STARTER_H_
#define ONNXCMP_CLI_BATCH_PAIR_STARTER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnxcmp::cli {

// The word that makes the program a starter, in the place of a command's name.
inline constexpr char kServePairs[] = "--serve-pairs";

class PairStarter {
 public:
  // `program`: the words that start this program, the first one a path. Processes end with the
  // thread that calls this.
  static absl::StatusOr<std::unique_ptr<PairStarter>> Start(std::vector<std::string> program);
  // The processes that it has started go on.
  ~PairStarter();
  PairStarter(const PairStarter&) = delete;
  PairStarter& operator=(const PairStarter&) = delete;

  // Starts the program on arguments, without its name, in a folder. `memory`: bytes that it may
  // allocate, 0: any; `errors`: a file, its standard error. It is a child of ours, to be waited for
  // like any other, and leads a session of its own. If memory is short the system ends it rather
  // than us.
  absl::StatusOr<pid_t> StartPair(const std::vector<std::string>& arguments,
                                  const std::string& folder, int64_t memory, int errors);

 private:
  explicit PairStarter(std::vector<std::string> program) : program_(std::move(program)) {}
  absl::Status StartProgram();
  void End();
  // The program's words and these.
  std::vector<std::string> WordsOf(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), program_.begin(), program_.end());
    return arguments;
  }

  const std::vector<std::string> program_;
  bool copies_ = true;  // false: the system makes none, and each process is started anew
  pid_t pid_ = -1;
  int socket_ = -1;
};

// The starter's life. `run` is the program, as main without a name.
int ServePairs(absl::FunctionRef<int(const std::vector<std::string>& arguments)> run);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_STARTER_H_
