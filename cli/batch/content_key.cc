#include "cli/batch/content_key.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/batch/whole_file.h"
#include "compare/inputs/input_files.h"
#include "compare/streams/xxh128.h"
#include "evaluator/base/mapped_file.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp::cli {
namespace {

namespace fs = std::filesystem;
using CacheJson = nlohmann::json;

// Of the form of keys: another one makes all results new.
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
  std::string block(size_t{1} << 20, '\0');
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
  // The files that tensors of a model lie in. Empty for what is no model.
  static std::vector<std::string> Of(std::istream& file) {
    ExternalNames names;
    onnx::ModelProto model;
    if (!model.ParseFromIstream(&file)) return {};
    names.AddGraph(model.graph());
    for (const onnx::FunctionProto& function : model.functions()) names.AddNodes(function.node());
    return {names.names_.begin(), names.names_.end()};
  }

 private:
  void AddTensor(const onnx::TensorProto& tensor) {
    for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
      if (entry.key() == "location") names_.insert(entry.value());
    }
  }
  template <typename Nodes>
  void AddNodes(const Nodes& nodes) {
    for (const onnx::NodeProto& node : nodes) {
      for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (attribute.has_t()) AddTensor(attribute.t());
        for (const onnx::TensorProto& tensor : attribute.tensors()) AddTensor(tensor);
        if (attribute.has_g()) AddGraph(attribute.g());
        for (const onnx::GraphProto& graph : attribute.graphs()) AddGraph(graph);
      }
    }
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

int64_t ModifiedNanos(const struct stat& status) {
  return int64_t{status.st_mtim.tv_sec} * 1000000000 + status.st_mtim.tv_nsec;
}

// The files of a folder and of those below, sorted.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) files.push_back(it->path().string());
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
    struct stat status;
    if (stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode)) bytes += status.st_size;
  }
  return bytes;
}

}  // namespace

ContentHashes::ContentHashes(std::string cache) : cache_(std::move(cache)) {
  const auto file = MappedFile::Open(cache_);
  if (!file.ok()) return;
  for (const absl::string_view line : absl::StrSplit((*file)->bytes(), '\n')) {
    const CacheJson json = CacheJson::parse(line, nullptr, /*allow_exceptions=*/false);
    // It is ours, but anything may have happened to it: a line that is not as it should be is none.
    if (!json.is_array() || json.size() != 6 || !json[0].is_string() || !json[1].is_number() ||
        !json[2].is_number() || !json[3].is_number() || !json[4].is_string() ||
        !json[5].is_array()) {
      continue;
    }
    Known known{json[1].get<int64_t>(),
                json[2].get<int64_t>(),
                json[3].get<uint64_t>(),
                json[4].get<std::string>(),
                {},
                true};
    for (const CacheJson& name : json[5]) {
      if (name.is_string()) known.external.push_back(name.get<std::string>());
    }
    known_[json[0].get<std::string>()] = std::move(known);
  }
}

absl::Status ContentHashes::Save() const {
  std::string text;
  for (const auto& [path, known] : known_) {
    if (!known.trusted) continue;
    const CacheJson json = {path,        known.size, known.modified,
                            known.inode, known.hash, known.external};
    absl::StrAppend(&text, json.dump(-1, ' ', true, CacheJson::error_handler_t::replace), "\n");
  }
  return ReplaceFile(cache_, text);
}

const ContentHashes::Known* ContentHashes::OfFile(const std::string& path, bool is_model) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  const auto found = known_.find(path);
  if (found != known_.end() && found->second.size == status.st_size &&
      found->second.modified == ModifiedNanos(status) && found->second.inode == status.st_ino) {
    return &found->second;
  }
  const absl::Time modified = absl::FromUnixNanos(ModifiedNanos(status));
  const bool settled = absl::Now() - modified > kSettled;
  bool may_be_external = false;
  Known known{status.st_size,
              ModifiedNanos(status),
              status.st_ino,
              HashOfStream(path, &may_be_external),
              {},
              settled};
  if (known.hash.empty()) return nullptr;
  if (is_model && may_be_external && status.st_size < int64_t{1} << 31) {
    std::ifstream file(path, std::ios::binary);
    known.external = ExternalNames::Of(file);
  }
  return &(known_[path] = std::move(known));
}

std::string ContentHashes::OfPath(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const Known* known = OfFile(path, /*is_model=*/false);
    return known == nullptr ? "none" : known->hash;
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
  const std::string ending = absl::AsciiStrToLower(fs::path(path).extension().string());
  if (ending != ".onnx" && ending != ".onnxtxt") {
    *bytes += GuessBytesOf(path);
    return OfPath(path);
  }
  const Known* known = OfFile(path, /*is_model=*/true);
  if (known == nullptr) return "none";
  *bytes += known->size;
  std::string all = known->hash;
  for (const std::string& name : known->external) {
    const std::string data = (fs::path(path).parent_path() / name).string();
    const Known* of_data = OfFile(data, /*is_model=*/false);
    if (of_data != nullptr) *bytes += of_data->size;
    absl::StrAppend(&all, "\n", name, " ", of_data == nullptr ? "none" : of_data->hash);
  }
  return known->external.empty() ? all : HexHash(all);
}

PairKey KeyOfPair(const BatchPair& pair, absl::string_view program, ContentHashes* hashes) {
  PairKey key;
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

int64_t GuessPairBytes(const BatchPair& pair) {
  return GuessBytesOf(pair.left) + (pair.right.empty() ? 0 : GuessBytesOf(pair.right));
}

std::string HashOfProgram() {
  // In Python's process the code is in a library, which knows its path.
  Dl_info info;
  std::string path = "/proc/self/exe";
  if (dladdr(reinterpret_cast<const void*>(&HashOfProgram), &info) != 0 &&
      info.dli_fname != nullptr && absl::EndsWith(info.dli_fname, ".so")) {
    path = info.dli_fname;
  }
  bool ignored = false;
  return HashOfStream(path, &ignored);
}

}  // namespace onnxcmp::cli
