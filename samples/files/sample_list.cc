#include "samples/files/sample_list.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "feed/input_files.h"
#include "record/recordings/data_sets.h"
#include "record/text/natural_order.h"
#include "samples/files/image_samples.h"
#include "samples/files/input_form.h"
#include "samples/files/labels.h"
#include "samples/files/sound_samples.h"
#include "samples/files/token_samples.h"

namespace onnxcmp {
namespace {

namespace fs = std::filesystem;

enum class Kind : uint8_t { kOther, kValues, kImages, kSounds };

struct Ending {
  const char* text;
  Kind kind;
};
constexpr Ending kEndings[] = {
    {".npz", Kind::kValues},  {".npy", Kind::kValues},  {".safetensors", Kind::kValues},
    {".pb", Kind::kValues},   {".png", Kind::kImages},  {".jpg", Kind::kImages},
    {".jpeg", Kind::kImages}, {".bmp", Kind::kImages},  {".webp", Kind::kImages},
    {".tif", Kind::kImages},  {".tiff", Kind::kImages}, {".ppm", Kind::kImages},
    {".pgm", Kind::kImages},  {".jp2", Kind::kImages},  {".wav", Kind::kSounds},
};

Kind KindOf(const fs::path& file) {
  const std::string name = absl::AsciiStrToLower(file.filename().string());
  for (const Ending& ending : kEndings) {
    if (absl::EndsWith(name, ending.text)) return ending.kind;
  }
  return Kind::kOther;
}

const char* NameOf(Kind kind) {
  return kind == Kind::kImages ? "images" : kind == Kind::kSounds ? "sounds" : "arrays";
}

struct Files {
  Kind kind = Kind::kOther;
  std::vector<std::string> names;  // without the folder, in natural order
  int64_t others = 0;              // files of no kind
};

// The files of a folder and of its folders: images are often in one for each class.
absl::StatusOr<Files> FilesIn(const std::string& folder) {
  std::map<Kind, std::vector<std::string>> by_kind;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  const fs::recursive_directory_iterator end;
  while (!error && it != end) {
    if (it->is_regular_file(error)) {
      by_kind[KindOf(it->path())].push_back(fs::relative(it->path(), folder, error).string());
    }
    if (!error) it.increment(error);
  }
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": ", error.message()));
  }
  Files files;
  std::vector<std::string> kinds;
  for (auto& [kind, names] : by_kind) {
    if (kind == Kind::kOther) {
      files.others = static_cast<int64_t>(names.size());
      continue;
    }
    kinds.push_back(absl::StrCat(names.size(), " ", NameOf(kind)));
    files.kind = kind;
    files.names = std::move(names);
  }
  if (kinds.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat(folder, " has ", absl::StrJoin(kinds, " and "),
                                                   ": samples have to be of one kind"));
  }
  if (kinds.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        folder, " has no samples: .npz, .npy, .safetensors or .pb files, images, .wav files, or ",
        "folders test_data_set_0, test_data_set_1, ..."));
  }
  std::sort(files.names.begin(), files.names.end(), NaturallyLess);
  return files;
}

// A name without its ending, unless two files differ in that alone.
std::vector<std::string> SampleNames(const std::vector<std::string>& files) {
  std::vector<std::string> stems;
  for (const std::string& file : files)
    stems.push_back(fs::path(file).replace_extension().string());
  std::vector<std::string> sorted = stems;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? stems : files;
}

absl::StatusOr<GivenSample> InForm(const Graph& graph, GivenSample sample) {
  // Of several values that no input is called by, the comparison says which ones they are.
  const size_t values = sample.values.size();
  for (NamedValue& value : sample.values) {
    if (values > 1 && FindValueInfo(graph.inputs, value.name) == nullptr) continue;
    OC_ASSIGN_OR_RETURN(value, InFormOfInputs(graph, std::move(value)));
  }
  return sample;
}

// All values of a set of a file.
absl::StatusOr<GivenSample> ReadSet(InputFiles& files, int64_t set, const Graph& graph) {
  GivenSample sample;
  if (files.file(set).is_folder()) {
    sample.folder = files.file(set).path();
    return sample;
  }
  for (size_t i = 0; i < files.file(set).size(); ++i) {
    OC_ASSIGN_OR_RETURN(NamedValue value, files.Read(set, i));
    sample.values.push_back(std::move(value));
  }
  return InForm(graph, std::move(sample));
}

absl::StatusOr<SampleList> OpenFolder(const std::string& path, const Graph& graph,
                                      const OpRegistry& registry, const SampleOptions& options) {
  OC_ASSIGN_OR_RETURN(const Files files, FilesIn(path));
  SampleList list;
  list.names = SampleNames(files.names);
  if (files.others > 0) {
    list.notes.push_back(absl::StrCat(files.others, files.others == 1 ? " file" : " files", " of ",
                                      path, files.others == 1 ? " is" : " are", " no sample"));
  }
  const auto file_of = [path, names = files.names](int64_t sample) {
    return (fs::path(path) / names[static_cast<size_t>(sample)]).string();
  };
  if (files.kind == Kind::kImages) {
    OC_ASSIGN_OR_RETURN(ImageReader opened, ImageReader::For(graph, registry, options.images));
    const auto reader = std::make_shared<const ImageReader>(std::move(opened));
    list.notes.push_back(reader->note());
    list.read = [reader, file_of](int64_t sample) -> absl::StatusOr<GivenSample> {
      OC_ASSIGN_OR_RETURN(NamedValue value, reader->Read(file_of(sample)));
      return GivenSample{"", {std::move(value)}};
    };
  } else if (files.kind == Kind::kSounds) {
    OC_ASSIGN_OR_RETURN(const ValueInfo* const input, SoundInputOf(graph));
    list.notes.push_back(absl::StrCat("sounds become `", input->name,
                                      "`: the mean of the channels, -1 to 1, at their own rate"));
    list.read = [input, file_of](int64_t sample) -> absl::StatusOr<GivenSample> {
      OC_ASSIGN_OR_RETURN(NamedValue value, ReadSound(file_of(sample), *input));
      return GivenSample{"", {std::move(value)}};
    };
  } else {
    list.read = [&graph, file_of,
                 most = options.max_tensor](int64_t sample) -> absl::StatusOr<GivenSample> {
      OC_ASSIGN_OR_RETURN(InputFiles file, InputFiles::Open(file_of(sample), /*each=*/false, most));
      return ReadSet(file, 0, graph);
    };
  }
  return list;
}

absl::StatusOr<SampleList> OpenFile(const std::string& path, const Graph& graph,
                                    const SampleOptions& options) {
  SampleList list;
  if (absl::EndsWith(path, ".jsonl")) {
    OC_ASSIGN_OR_RETURN(std::vector<std::string> lines, LinesOf(path));
    for (size_t i = 0; i < lines.size(); ++i) list.names.push_back(absl::StrCat("line ", i + 1));
    list.read = [path, lines = std::move(lines),
                 &graph](int64_t sample) -> absl::StatusOr<GivenSample> {
      absl::StatusOr<std::vector<NamedValue>> values =
          TokensOfLine(lines[static_cast<size_t>(sample)], graph);
      if (!values.ok()) {
        return absl::Status(values.status().code(), absl::StrCat(path, ", line ", sample + 1, ": ",
                                                                 values.status().message()));
      }
      return GivenSample{"", *std::move(values)};
    };
    return list;
  }
  OC_ASSIGN_OR_RETURN(InputFiles opened, InputFiles::Open(path, /*each=*/true, options.max_tensor));
  const auto files = std::make_shared<InputFiles>(std::move(opened));
  for (int64_t set = 0; set < files->size(); ++set) {
    list.names.push_back(files->Name(set).empty() ? fs::path(path).stem().string()
                                                  : files->Name(set));
  }
  list.read = [files, &graph](int64_t sample) { return ReadSet(*files, sample, graph); };
  return list;
}

// Takes so many of the list: the first ones, or those that the seed draws, in their order.
void TakeSome(const SampleOptions& options, SampleList* list) {
  const size_t all = list->names.size();
  if (options.limit <= 0 || static_cast<size_t>(options.limit) >= all) return;
  std::vector<size_t> taken(all);
  std::iota(taken.begin(), taken.end(), 0);
  if (options.seed.has_value()) {
    // Not std::shuffle, which libraries may implement as they like.
    std::mt19937_64 random(*options.seed);
    for (size_t i = all - 1; i > 0; --i) std::swap(taken[i], taken[random() % (i + 1)]);
  }
  taken.resize(static_cast<size_t>(options.limit));
  std::sort(taken.begin(), taken.end());
  SampleList some;
  for (const size_t i : taken) some.names.push_back(std::move(list->names[i]));
  some.notes = std::move(list->notes);
  some.notes.push_back(absl::StrCat(taken.size(), " of ", all, " samples are taken",
                                    options.seed.has_value() ? ", drawn by --seed" : ""));
  for (const size_t i : taken) {
    if (!list->labels.empty()) some.labels.push_back(list->labels[i]);
  }
  some.read = [read = std::move(list->read), taken](int64_t sample) {
    return read(static_cast<int64_t>(taken[static_cast<size_t>(sample)]));
  };
  *list = std::move(some);
}

}  // namespace

absl::StatusOr<SampleList> OpenSamples(const std::string& path, const Graph& graph,
                                       const OpRegistry& registry, const SampleOptions& options) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error) && DataSets(path).empty();
  OC_ASSIGN_OR_RETURN(SampleList list, folder ? OpenFolder(path, graph, registry, options)
                                              : OpenFile(path, graph, options));
  if (list.names.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has no samples"));
  }
  if (!options.labels.empty()) {
    OC_ASSIGN_OR_RETURN(list.labels, ReadLabels(options.labels, list.names));
  }
  TakeSome(options, &list);
  return list;
}

}  // namespace onnxcmp
