// Keys of pairs: hashes of what a comparison reads, so that what is known is not computed again.
#ifndef ONNXCMP_CLI_BATCH_CONTENT_KEY_H_
#define ONNXCMP_CLI_BATCH_CONTENT_KEY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/batch/batch_pair.h"

namespace onnxcmp::cli {

struct FileStamp {
  int64_t size = -1;     // there is no such file
  int64_t modified = 0;  // nanoseconds
  uint64_t inode = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Hashes of files. Those of files that were not touched since are taken from a file of an earlier
// batch. Not for several threads at once.
class ContentHashes {
 public:
  // `cache`: that file, which need not exist.
  explicit ContentHashes(std::string cache);

  // The hash of a file, with its ending, or of all files in a folder with their names. What cannot
  // be read has a hash, too.
  std::string OfPath(const std::string& path);
  // The same with the files of external data that a model names; adds their sizes.
  std::string OfModel(const std::string& path, int64_t* bytes);

  // The files that were asked for since the last call, as they were when they were read.
  std::vector<std::pair<std::string, FileStamp>> TakeRead() { return std::exchange(read_, {}); }

  absl::Status Save() const;

 private:
  struct Known {
    FileStamp stamp;
    // The time of its last change of any kind, in nanoseconds. Nobody can set it: an archive that
    // is unpacked over another one gives a file the time, and often the inode, of its predecessor.
    int64_t changed = 0;
    std::string hash;
    std::vector<std::string> external;  // files' names, as the model has them
    bool trusted = false;               // not written to in the seconds before it was read
  };
  const Known* OfFile(const std::string& path, bool is_model);

  const std::string cache_;
  std::map<std::string, Known> known_;
  std::vector<std::pair<std::string, FileStamp>> read_;
};

struct PairKey {
  std::string key;    // 32 hexadecimal digits
  int64_t bytes = 0;  // of both sides with their external data
  // The files of both sides and of their inputs.
  std::vector<std::pair<std::string, FileStamp>> read;
};
// `program`: its version, and what else results depend on.
PairKey KeyOfPair(const BatchPair& pair, absl::string_view program, ContentHashes* hashes);

// True unless a file of the pair has changed since the key was made.
bool IsAsRead(const PairKey& key);

// Bytes of both sides by their names and sizes alone, without reading them.
int64_t GuessPairBytes(const BatchPair& pair);

// The hash of the running program's own file.
std::string HashOfProgram();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_CONTENT_KEY_H_
