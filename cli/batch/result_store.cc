#include "cli/batch/result_store.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "cli/batch/whole_file.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/this_process.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kResultName[] = "result.json";

absl::Status CannotMake(const std::string& path, const std::error_code& error) {
  return absl::PermissionDeniedError(absl::StrCat("cannot write ", path, ": ", error.message()));
}

std::optional<PairResult> ReadKept(const std::string& folder, const std::string& key) {
  const auto file =
      MappedFile::Open(absl::StrCat(folder, "/", PairFolderOf(key), "/", kResultName));
  if (!file.ok()) return std::nullopt;
  absl::StatusOr<PairResult> result = ParsePairResult((*file)->bytes());
  if (!result.ok() || result->key != key) return std::nullopt;
  return *std::move(result);
}

}  // namespace

std::string PairFolderOf(absl::string_view key) {
  return absl::StrCat("pairs/", key.substr(0, 2), "/", key);
}

absl::StatusOr<std::unique_ptr<ResultStore>> ResultStore::Open(const std::string& folder) {
  std::error_code error;
  const std::string whole = fs::absolute(folder, error).lexically_normal().string();
  for (const char* name : {"pairs", "running"}) {
    const std::string path = absl::StrCat(whole, "/", name);
    fs::create_directories(path, error);
    if (error) return CannotMake(path, error);
  }
  const std::string path = absl::StrCat(whole, "/lock");
  const int lock = OpenLocked(path);
  if (lock < 0 && errno == EWOULDBLOCK) {
    return absl::FailedPreconditionError(
        absl::StrCat("another batch is at work in ", folder, "; give --out another folder"));
  }
  if (lock < 0) return CannotMake(path, std::error_code(errno, std::generic_category()));
  auto store = absl::WrapUnique(new ResultStore(whole, lock));
  // Left by a batch that was killed.
  for (const fs::directory_entry& entry : fs::directory_iterator(store->Path("running"), error)) {
    Discard(entry.path().string());
  }
  return store;
}

ResultStore::~ResultStore() { CloseFile(lock_); }

std::string ResultStore::Path(absl::string_view name) const {
  return absl::StrCat(folder_, "/", name);
}

std::optional<PairResult> ResultStore::Find(const std::string& key, const std::string& also) const {
  if (std::optional<PairResult> kept = ReadKept(folder_, key)) return kept;
  if (also.empty()) return std::nullopt;
  std::optional<PairResult> kept = ReadKept(also, key);
  if (!kept.has_value() || !Import(also, *kept).ok()) return std::nullopt;
  return kept;
}

absl::StatusOr<std::string> ResultStore::MakeRunFolder(const std::string& key) {
  std::string path = absl::StrCat(folder_, "/running/", key, ".", ProcessNumber(), ".", runs_++);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return CannotMake(path, error);
  return path;
}

bool ResultStore::CannotWriteTo(const std::string& run_folder) {
  const std::string path = absl::StrCat(run_folder, "/probe");
  const absl::Status written = ReplaceFile(path, std::string(size_t{256} << 10, ' '));
  std::remove(path.c_str());
  return !written.ok();
}

absl::Status ResultStore::Keep(const std::string& run_folder, PairResult* result) const {
  result->folder = PairFolderOf(result->key);
  OC_RETURN_IF_ERROR(
      ReplaceFile(absl::StrCat(run_folder, "/", kResultName), PairResultJson(*result)));
  const std::string path = Path(result->folder);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return CannotMake(path, error);
  // One that is to be replaced: a pair that is tried again.
  int failed = RenameOver(run_folder, path);
  if (failed == ENOTEMPTY || failed == EEXIST) {
    const std::string old = absl::StrCat(run_folder, ".old");
    failed = RenameOver(path, old);
    if (failed == 0) {
      failed = RenameOver(run_folder, path);
      Discard(old);
    }
  }
  if (failed == 0) return absl::OkStatus();
  return CannotMake(path, std::error_code(failed, std::generic_category()));
}

void ResultStore::Discard(const std::string& run_folder) {
  std::error_code ignored;
  fs::remove_all(run_folder, ignored);
}

absl::Status ResultStore::Import(const std::string& from, const PairResult& result) const {
  const std::string folder = PairFolderOf(result.key);
  const std::string to = Path(folder);
  std::error_code error;
  if (fs::exists(absl::StrCat(to, "/", kResultName), error)) return absl::OkStatus();
  const std::string source = absl::StrCat(from, "/", folder);
  const std::string unfinished = absl::StrCat(folder_, "/running/", result.key, ".import");
  fs::remove_all(unfinished, error);
  fs::create_directories(fs::path(to).parent_path(), error);
  fs::copy(source, unfinished, fs::copy_options::recursive | fs::copy_options::create_hard_links,
           error);
  if (error) {
    // Another file system.
    fs::remove_all(unfinished, error);
    fs::copy(source, unfinished, fs::copy_options::recursive, error);
  }
  if (!error) fs::rename(unfinished, to, error);
  if (!error) return absl::OkStatus();
  const absl::Status failed = CannotMake(to, error);
  Discard(unfinished);
  return failed;
}

int64_t ResultStore::Prune(const absl::flat_hash_set<std::string>& keys) const {
  std::error_code error;
  std::vector<std::string> old;
  for (fs::recursive_directory_iterator it(Path("pairs"), error), end; !error && it != end;
       it.increment(error)) {
    if (it.depth() != 1) continue;
    it.disable_recursion_pending();
    if (!keys.contains(it->path().filename().string())) old.push_back(it->path().string());
  }
  for (const std::string& path : old) Discard(path);
  return static_cast<int64_t>(old.size());
}

}  // namespace onnxcmp::cli
