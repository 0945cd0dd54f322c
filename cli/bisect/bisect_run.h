// A bisection under way: makes candidates, judges them, keeps the log.
#ifndef ONNXCMP_CLI_BISECT_BISECT_RUN_H_
#define ONNXCMP_CLI_BISECT_BISECT_RUN_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/bisect/candidates.h"
#include "cli/compare_session.h"
#include "cli/process/interruption.h"
#include "compare/outcome/chain.h"
#include "compare/sides/side.h"
#include "record/runtimes/shell_line.h"
#include "reports/table/table_options.h"
#include "tools/bisect/bisection.h"
#include "tools/bisect/first_bad.h"
#include "tools/fix/fix_report.h"

namespace onnxcmp::cli {

class BisectRun {
 public:
  // The arguments must outlive the object.
  BisectRun(const BisectArguments& arguments, std::vector<BisectCandidate> candidates,
            Interruption& interruption);

  // Searches, prints and writes reports. Returns the exit status.
  absl::StatusOr<int> Search();
  // Judges the only candidate, for git: returns 0 if it is good, 1 if it is bad, 125 if it cannot
  // be judged.
  absl::StatusOr<int> JudgeOne();

 private:
  // Two models compared.
  struct Compared {
    ChainStep step;
    std::string table;  // of the first set of inputs that fails; "": none does
    absl::Status left;  // why the left could not run
    absl::Status right;
    absl::Status both;  // why nothing was compared although both may run
  };

  absl::Status Prepare();
  absl::Status GoOn();
  absl::Status Judge(size_t candidate);
  absl::StatusOr<BisectTrial> Try(size_t candidate);
  absl::StatusOr<BisectTrial> Check(size_t candidate, BisectTrial trial);
  absl::StatusOr<BisectTrial> CompareWithReference(size_t candidate, BisectTrial trial);
  // Makes its model, if a command does. The text says why there is none; "": there is one.
  absl::StatusOr<std::string> Make(size_t candidate);
  absl::StatusOr<ShellEnd> RunCommand(size_t candidate, const std::string& command);
  absl::StatusOr<Compared> CompareModels(const std::string& left, const std::string& right);
  // Takes the answer of a candidate whose file has the same bytes.
  bool TakeAnswerOfSame(size_t candidate, BisectTrial* trial);
  absl::Status JudgeAsNeeded();
  absl::Status LookForContradictions();
  absl::Status Finish();
  absl::Status CompareStep();
  void Mend();
  absl::StatusOr<bool> Add(BisectTrial trial);
  bool Print(const std::string& text) const;

  std::string FolderOf(size_t candidate) const;
  std::string ModelOf(size_t candidate) const;
  std::string OutputOf(size_t candidate) const;
  std::string LogFile() const;
  bool runs_commands() const;

  const BisectArguments& arguments_;
  std::vector<BisectCandidate> candidates_;
  const TableOptions look_;
  std::string folder_;     // "": none
  std::string reference_;  // its file; "": a check decides
  ComparisonTools tools_;
  std::optional<ShellLines> shell_;
  FirstBadSearch search_;
  Bisection bisection_;
  std::unique_ptr<Side> reference_side_;
  absl::flat_hash_map<std::string, size_t> by_bytes_;  // judged candidates by their files' bytes
  std::optional<size_t> table_of_;  // the candidate that table_ compares with the reference
  std::string table_;
  std::optional<FixReport> fix_;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BISECT_BISECT_RUN_H_
