// Each process is started anew: there is no call that makes a copy a sibling.
#include "cli/batch/pair_starter.h"

#include <utility>

#include "absl/memory/memory.h"
#include "cli/batch/posix/start_anew.h"

namespace onnxcmp::cli {

absl::StatusOr<std::unique_ptr<PairStarter>> PairStarter::Start(std::vector<std::string> program) {
  return absl::WrapUnique(new PairStarter(std::move(program)));
}

absl::Status PairStarter::StartProgram() { return absl::OkStatus(); }

void PairStarter::End() {}

PairStarter::~PairStarter() = default;

absl::StatusOr<pid_t> PairStarter::StartPair(const std::vector<std::string>& arguments,
                                             const std::string& folder, int64_t memory,
                                             int errors) {
  return StartAnew(WordsOf(arguments), folder, memory, errors);
}

int ServePairs(absl::FunctionRef<int(const std::vector<std::string>& arguments)> /*run*/) {
  return 2;  // nobody asks for it
}

}  // namespace onnxcmp::cli
