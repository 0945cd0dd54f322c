// Recordings in folders, archives and JSON, whose parts a fuzzer makes.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/sides/recording_side.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/npz_writer.h"
#include "record/recordings/recorded_values.h"
#include "reports/render_json.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

// Of arrays, of messages as onnxruntime's debug build dumps them, of bytes and numbers as devices
// do, of descriptions and archives, and of data sets.
constexpr std::array kNames = {
    "a.npy",         "b.npy",         "Add_1_Output_0.tensorproto",
    "y.pb",          "z.raw",         "z.txt",
    "results.json",  "manifest.json", "a.npz",
    "s.safetensors", "model.onnx",    "test_data_set_0/input_0.pb",
    "notes.md",      "step_1/x.npy",  "test_data_set_0/output_0.pb",
    "onnxcmp.json",  "layer.0/w.npy", "test_data_set_1/output_0.pb",
};
constexpr size_t kHead = 3;  // bytes before each part: a name, a size

struct Part {
  std::string name;
  absl::string_view bytes;
};

// The last part takes what is there.
std::vector<Part> PartsOf(absl::string_view bytes) {
  std::vector<Part> parts;
  while (bytes.size() > kHead) {
    const auto byte = [&bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const size_t size = byte(1) | (size_t{byte(2)} << 8);
    parts.push_back({kNames[byte(0) % kNames.size()], bytes.substr(kHead, size)});
    bytes.remove_prefix(std::min(bytes.size(), kHead + size));
  }
  return parts;
}

// An archive whose sums are right, so that its parts are read.
absl::StatusOr<std::string> WriteArchive(const Scratch& scratch, const std::vector<Part>& parts) {
  const std::string path = scratch.path() + "/made.npz";
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<NpzWriter> writer, NpzWriter::Create(path));
  std::vector<NpzWriter::Entry> entries;
  for (const Part& part : parts) {
    OC_ASSIGN_OR_RETURN(const NpzWriter::Piece piece, writer->AddText(part.bytes));
    entries.push_back({part.name, piece});
  }
  OC_RETURN_IF_ERROR(writer->Finish(entries));
  return path;
}

absl::Status ReadAll(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const std::vector<RecordedSet> sets, OpenRecording(path, kTensorBytes));
  for (const RecordedSet& set : sets) {
    for (size_t i = 0; i < set.values->results().size(); ++i) {
      OC_RETURN_IF_ERROR(Mistake(set.values->ReadValue(i).status()));
    }
  }
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> left, OpenSide(path, Registry()));
  OC_ASSIGN_OR_RETURN(const std::unique_ptr<Side> right, OpenSide(path, Registry()));
  CompareOptions options;
  options.threads = 1;
  OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(*left, *right, options));
  RenderJson(comparison);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadRecordings(absl::string_view bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const Scratch scratch;
  const auto kind = static_cast<unsigned char>(bytes[0]) % 3;
  bytes.remove_prefix(1);
  if (kind == 0) return Mistake(ReadAll(scratch.Write("results.json", bytes)));
  const std::vector<Part> parts = PartsOf(bytes);
  if (kind == 1) {
    for (const Part& part : parts) scratch.Write(part.name, part.bytes);
    return Mistake(ReadAll(scratch.path()));
  }
  const absl::StatusOr<std::string> archive = WriteArchive(scratch, parts);
  return archive.ok() ? Mistake(ReadAll(*archive)) : absl::OkStatus();
}

}  // namespace onnxcmp::fuzz
