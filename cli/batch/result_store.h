// The folder of a batch: results of pairs by their keys, written whole or not at all.
//
//   pairs/3f/3f.../result.json  a result, beside report.json and report.html of the comparison
//   running/                    folders of comparisons under way, which become those of pairs
//   lock                        held by the batch that is at work here
#ifndef ONNXCMP_CLI_BATCH_RESULT_STORE_H_
#define ONNXCMP_CLI_BATCH_RESULT_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/batch/pair_result.h"

namespace onnxcmp::cli {

class ResultStore {
 public:
  // Makes the folder, unless it is there. FailedPrecondition if another batch is at work in it.
  static absl::StatusOr<std::unique_ptr<ResultStore>> Open(const std::string& folder);
  ~ResultStore();
  ResultStore(const ResultStore&) = delete;
  ResultStore& operator=(const ResultStore&) = delete;

  const std::string& folder() const { return folder_; }
  std::string Path(absl::string_view name) const;

  // A result that was kept, here or in a batch's folder `also` ("": none), from which it is then
  // copied. Nothing if there is none or it is not whole.
  std::optional<PairResult> Find(const std::string& key, const std::string& also) const;

  // A new empty folder for a comparison.
  absl::StatusOr<std::string> MakeRunFolder(const std::string& key);
  // True if the disk takes no more of its files.
  static bool CannotWriteTo(const std::string& run_folder);
  // Makes the comparison's folder that of its pair, with the result in it, and sets the result's
  // folder.
  absl::Status Keep(const std::string& run_folder, PairResult* result) const;
  // Removes the folder of a comparison that has no result.
  static void Discard(const std::string& run_folder);
  // Copies the folder of a pair from another batch, by links where that can be. AlreadyExists is no
  // error.
  absl::Status Import(const std::string& from, const PairResult& result) const;

  // Removes folders of pairs whose keys are not among these. Their number.
  int64_t Prune(const absl::flat_hash_set<std::string>& keys) const;

 private:
  ResultStore(std::string folder, int lock) : folder_(std::move(folder)), lock_(lock) {}

  const std::string folder_;
  const int lock_;
  int64_t runs_ = 0;
};

// "pairs/3f/3f...", the folder of a pair in that of its batch.
std::string PairFolderOf(absl::string_view key);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_RESULT_STORE_H_
