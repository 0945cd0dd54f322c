// Recordings: results of a run in an .npz archive. docs/formats.md describes the format.
#ifndef ONNXCMP_RECORD_RECORDINGS_RECORDING_H_
#define ONNXCMP_RECORD_RECORDINGS_RECORDING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/recordings/npz_writer.h"

namespace onnxcmp {

// The entry with the description of the others.
inline constexpr char kRecordingEntry[] = "onnxcmp.json";

// Description of a recorded result, without its value.
struct RecordedResult {
  ResultKind kind = ResultKind::kResult;
  std::string name;
  std::string op_type;  // operator, domain and name of the node that made it; "": none
  std::string domain;
  std::string node;
  std::string path;
  int64_t depth = 0;
};

// The structure of a value; its tensors are pieces of the archive.
struct RecordedValue {
  enum class Type : uint8_t { kAbsent, kTensor, kSequence, kOptional, kMap, kSparseTensor };
  Type type = Type::kAbsent;
  DType dtype =
      DType::kUndefined;       // tensor: its elements'; sequence, optional: those of its tensors
  std::vector<int64_t> shape;  // tensor, sparse tensor
  size_t piece = 0;            // tensor
  // Sequence: the elements; optional: none or one; map: keys, values; sparse tensor: values,
  // indices.
  std::vector<RecordedValue> parts;
};

// Writes a recording while the model runs; keeps no tensors.
class RecordingWriter : public Observer {
 public:
  // `outputs_only`: only results of kind OUTPUT.
  static absl::StatusOr<std::unique_ptr<RecordingWriter>> Create(const std::string& path,
                                                                 bool outputs_only);

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override;
  // Names the entries and puts the archive in place. Without it no file appears.
  absl::Status Finish();

  const std::string& folder() const { return writer_->folder(); }

 private:
  struct Piece {
    NpzWriter::Piece bytes;
    std::string wanted;  // the desired name of the entry
    int64_t depth;
    bool whole;  // the value itself rather than a part of one
  };
  struct Item {
    RecordedResult result;
    size_t value;  // in values_
  };

  RecordingWriter(std::unique_ptr<NpzWriter> writer, bool outputs_only)
      : writer_(std::move(writer)), outputs_only_(outputs_only) {}
  absl::StatusOr<RecordedValue> Add(const Value& value, const std::string& name, int64_t depth,
                                    bool whole);
  absl::StatusOr<RecordedValue> AddTensor(const Tensor& tensor, const std::string& name,
                                          int64_t depth, bool whole);
  std::vector<std::string> NamePieces() const;

  std::unique_ptr<NpzWriter> writer_;
  bool outputs_only_;
  std::vector<Piece> pieces_;
  std::vector<RecordedValue> values_;
  std::vector<Item> items_;
  absl::flat_hash_map<std::string, size_t> main_graph_;  // name -> value
};

// Reads a recording, or any other .npz archive, whose arrays count as results of the main graph.
class RecordingReader {
 public:
  // No array may take more than `max_tensor` bytes.
  static absl::StatusOr<RecordingReader> Open(const std::string& path,
                                              int64_t max_tensor = kDefaultMaxTensor);
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  // True if the archive has a description. If not, kinds mean nothing.
  bool described() const;
  const std::vector<RecordedResult>& results() const;
  // Entries that are neither arrays nor the description.
  std::vector<std::string> others() const;

  struct Read {
    Value value;
    // See NpyArray: the bits of elements whose type the archive does not specify.
    bool opaque = false;
  };
  absl::StatusOr<Read> ReadValue(size_t index) const;

 private:
  struct Impl;
  explicit RecordingReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_RECORDING_H_
