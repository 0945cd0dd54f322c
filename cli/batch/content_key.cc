#include "cli/batch/content_key.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/batch/whole_file.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/this_process.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "feed/input_files.h"
#include "onnx/onnx_pb.h"
#include "record/streams/xxh128.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;
using CacheJson = nlohmann::json;

// Version of the form of keys: another one makes all results new.
constexpr int kKeyVersion = 1;
// A file that was written to so shortly before it was read may be written to again in the same tick
// of the file system's clock.
constexpr absl::Duration kSettled = absl::Seconds(2);

std::string HexOf(const Hash128& hash) {
  return absl::StrFormat("%016x%016x", hash.high, hash.low);
}

std::string HexHash(absl::string_view bytes) { return HexOf(HashOfText(bytes)); }

// The hash of a file, "" if it cannot be read. It is read and not mapped: a file that is cut short
// meanwhile does not end us. `external`: true if it has the word that every model with external
// data has.
std::string HashOfStream(const std::string& path, bool* external) {
  constexpr absl::string_view kWord = "location";
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::string block(size_t{1} << 16, '\0');
  size_t kept = 0;  // the end of the block before, in which the word may begin
  while (file) {
    file.read(block.data() + kept, static_cast<std::streamsize>(block.size() - kept));
    const auto got = static_cast<size_t>(file.gcount());
    XXH3_128bits_update(&state, block.data() + kept, got);
    const absl::string_view seen(block.data(), kept + got);
    if (!*external) *external = absl::StrContains(seen, kWord);
    kept = std::min(seen.size(), kWord.size() - 1);
    block.replace(0, kept, std::string(seen.substr(seen.size() - kept)));
  }
  return file.bad() ? "" : HexOf(ToHash128(XXH3_128bits_digest(&state)));
}

class ExternalNames {
 public:
  // The files that tensors of a model lie in. Empty for what is no model. Like the hash it is read
  // and not mapped.
  static std::vector<std::string> Of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const int max_depth = LoadOptions().max_depth;
    const auto model = IsModelText(path, bytes) ? ReadModelText(bytes, max_depth)
                                                : ReadModelBytes(bytes, max_depth);
    if (!model.ok()) return {};
    ExternalNames names;
    names.AddGraph((*model)->graph());
    for (const onnx::FunctionProto& function : (*model)->functions()) {
      names.AddAttributes(function.attribute_proto());
      names.AddNodes(function.node());
    }
    return {names.names_.begin(), names.names_.end()};
  }

 private:
  void AddTensor(const onnx::TensorProto& tensor) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      if (entry.key() == "location") names_.insert(entry.value());
    }
  }
  template <typename Attributes>
  void AddAttributes(const Attributes& attributes) {
    for (const onnx::AttributeProto& attribute : attributes) {
      if (attribute.has_t()) AddTensor(attribute.t());
      for (const onnx::TensorProto& tensor : attribute.tensors()) AddTensor(tensor);
      if (attribute.has_g()) AddGraph(attribute.g());
      for (const onnx::GraphProto& graph : attribute.graphs()) AddGraph(graph);
    }
  }
  template <typename Nodes>
  void AddNodes(const Nodes& nodes) {
    for (const onnx::NodeProto& node : nodes) AddAttributes(node.attribute());
  }
  void AddGraph(const onnx::GraphProto& graph) {
    for (const onnx::TensorProto& tensor : graph.initializer()) AddTensor(tensor);
    for (const onnx::SparseTensorProto& sparse : graph.sparse_initializer()) {
      AddTensor(sparse.values());
      AddTensor(sparse.indices());
    }
    AddNodes(graph.node());
  }

  std::set<std::string> names_;
};

// False for what is no regular file.
bool RegularFile(const std::string& path, FileStatus* status) {
  return StatusOfPath(path, status) && status->kind == FileKind::kRegular;
}

// The end of a file's name: it may decide how the file is read.
std::string EndingOf(const std::string& path) { return fs::path(path).extension().string(); }

// The files of a folder and of those below, sorted. Folders behind links count, once each: a link
// may lead back.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::set<std::pair<uint64_t, uint64_t>> seen;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder,
                                           fs::directory_options::follow_directory_symlink |
                                               fs::directory_options::skip_permission_denied,
                                           error),
       end;
       !error && it != end; it.increment(error)) {
    FileStatus status;
    if (!StatusOfPath(it->path().string(), &status)) continue;
    if (status.kind == FileKind::kRegular) files.push_back(it->path().string());
    if (status.kind == FileKind::kFolder && !seen.emplace(status.device, status.inode).second) {
      it.disable_recursion_pending();
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Weights in files of their own are called by their model: x.onnx.data, x.onnx_data, x.data.
int64_t GuessBytesOf(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    int64_t bytes = 0;
    for (const std::string& file : FilesIn(path)) {
      bytes += static_cast<int64_t>(fs::file_size(file, error));
    }
    return bytes;
  }
  int64_t bytes = 0;
  const fs::path model(path);
  const std::string stem = model.stem().string();
  for (const std::string& name : {path, absl::StrCat(path, ".data"), absl::StrCat(path, "_data"),
                                  (model.parent_path() / (stem + ".data")).string(),
                                  (model.parent_path() / (stem + ".bin")).string()}) {
    FileStatus status;
    if (RegularFile(name, &status)) bytes += status.size;
  }
  return bytes;
}

FileStamp StampOf(const FileStatus& status) {
  constexpr int64_t kNanos = 1000000000;
  return {status.size, status.modified * kNanos + status.modified_nanos, status.inode};
}

}  // namespace

ContentHashes::ContentHashes(std::string cache) : cache_(std::move(cache)) {
  const auto file = MappedFile::Open(cache_);
  if (!file.ok()) return;
  for (const absl::string_view line : absl::StrSplit((*file)->bytes(), '\n')) {
    const CacheJson json = CacheJson::parse(line, nullptr, /*allow_exceptions=*/false);
    // It is ours, but anything may have happened to it: a line that is not as it should be is none.
    if (!json.is_array() || json.size() != 7 || !json[0].is_string() || !json[1].is_number() ||
        !json[2].is_number() || !json[3].is_number() || !json[4].is_number() ||
        !json[5].is_string() || !json[6].is_array()) {
      continue;
    }
    Known known{{json[1].get<int64_t>(), json[2].get<int64_t>(), json[3].get<uint64_t>()},
                json[4].get<int64_t>(),
                json[5].get<std::string>(),
                {},
                true};
    for (const CacheJson& name : json[6]) {
      if (name.is_string()) known.external.push_back(name.get<std::string>());
    }
    known_[json[0].get<std::string>()] = std::move(known);
  }
}

absl::Status ContentHashes::Save() const {
  std::string text;
  for (const auto& [path, known] : known_) {
    if (!known.trusted) continue;
    const CacheJson json = {
        path,          known.stamp.size, known.stamp.modified, known.stamp.inode,
        known.changed, known.hash,       known.external};
    absl::StrAppend(&text, json.dump(-1, ' ', true, CacheJson::error_handler_t::replace), "\n");
  }
  return ReplaceFile(cache_, text);
}

const ContentHashes::Known* ContentHashes::OfFile(const std::string& path, bool is_model) {
  FileStatus status;
  if (!RegularFile(path, &status)) {
    read_.emplace_back(path, FileStamp());
    return nullptr;
  }
  const FileStamp stamp = StampOf(status);
  read_.emplace_back(path, stamp);
  const int64_t changed = status.changed_nanos;
  const auto found = known_.find(path);
  if (found != known_.end() && found->second.stamp == stamp && found->second.changed == changed) {
    return &found->second;
  }
  const absl::Time last = absl::FromUnixNanos(std::max(stamp.modified, changed));
  const bool settled = absl::Now() - last > kSettled;
  bool may_be_external = false;
  Known known{stamp, changed, HashOfStream(path, &may_be_external), {}, settled};
  if (known.hash.empty()) return nullptr;
  if (is_model && may_be_external && stamp.size < int64_t{1} << 31) {
    known.external = ExternalNames::Of(path);
  }
  return &(known_[path] = std::move(known));
}

std::string ContentHashes::OfPath(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const Known* known = OfFile(path, /*is_model=*/false);
    return known == nullptr ? "none" : absl::StrCat(known->hash, EndingOf(path));
  }
  std::string all = "folder\n";
  for (const std::string& file : FilesIn(path)) {
    const Known* known = OfFile(file, /*is_model=*/false);
    absl::StrAppend(&all, file.substr(path.size()), " ", known == nullptr ? "none" : known->hash,
                    "\n");
  }
  return HexHash(all);
}

std::string ContentHashes::OfModel(const std::string& path, int64_t* bytes) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    *bytes += GuessBytesOf(path);
    return OfPath(path);
  }
  // Any name will do for a model.
  const Known* known = OfFile(path, /*is_model=*/true);
  if (known == nullptr) return "none";
  *bytes += known->stamp.size;
  std::string all = absl::StrCat(known->hash, EndingOf(path));
  for (const std::string& name : known->external) {
    const std::string data = (fs::path(path).parent_path() / name).string();
    const Known* of_data = OfFile(data, /*is_model=*/false);
    if (of_data != nullptr) *bytes += of_data->stamp.size;
    absl::StrAppend(&all, "\n", name, " ", of_data == nullptr ? "none" : of_data->hash);
  }
  return known->external.empty() ? all : HexHash(all);
}

PairKey KeyOfPair(const BatchPair& pair, absl::string_view program, ContentHashes* hashes) {
  PairKey key;
  hashes->TakeRead();
  std::string all = absl::StrCat("batch ", kKeyVersion, "\n", program, "\n");
  absl::StrAppend(&all, "left ", hashes->OfModel(pair.left, &key.bytes), "\n");
  if (!pair.right.empty()) {
    absl::StrAppend(&all, "right ", hashes->OfModel(pair.right, &key.bytes), "\n");
  }
  absl::StrAppend(&all, "against ", pair.against, "\n");
  const std::string beside = InputsBeside(pair.left, pair.right.empty() ? pair.left : pair.right);
  if (!pair.inputs.empty()) {
    absl::StrAppend(&all, "inputs ", hashes->OfPath(pair.inputs), "\n");
  } else if (!beside.empty()) {
    absl::StrAppend(&all, "beside ", hashes->OfPath(beside), "\n");
  }
  // Without files that options name: a comparison may write to them.
  key.read = hashes->TakeRead();
  for (const std::string& option : pair.options) {
    // Numbers before what follows, so that no two lists of options give one text.
    absl::StrAppend(&all, "option ", option.size(), " ", option, "\n");
    const size_t equals = option.find('=');
    const std::string value =
        option[0] == '-' && equals != std::string::npos ? option.substr(equals + 1) : option;
    std::error_code error;
    if (!value.empty() && value[0] == '/' && fs::exists(value, error)) {
      absl::StrAppend(&all, "file ", hashes->OfPath(value), "\n");
    }
  }
  key.key = HexHash(all);
  return key;
}

bool IsAsRead(const PairKey& key) {
  return std::all_of(key.read.begin(), key.read.end(), [](const auto& read) {
    FileStatus status;
    return (RegularFile(read.first, &status) ? StampOf(status) : FileStamp()) == read.second;
  });
}

int64_t GuessPairBytes(const BatchPair& pair) {
  return GuessBytesOf(pair.left) + (pair.right.empty() ? 0 : GuessBytesOf(pair.right));
}

std::string HashOfProgram() {
  // In Python's process the code is in a library, which knows its path.
  const std::string library = LibraryOf(reinterpret_cast<const void*>(&HashOfProgram));
  bool ignored = false;
  return HashOfStream(library.empty() ? RunningProgram() : library, &ignored);
}

}  // namespace onnxcmp::cli
