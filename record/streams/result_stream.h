// One side of a comparison as plain data: its results with their fingerprints, and the nodes that
// made them. A recording is a stream without nodes.
#ifndef ONNXCMP_RECORD_STREAMS_RESULT_STREAM_H_
#define ONNXCMP_RECORD_STREAMS_RESULT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {

inline constexpr int kNone = -1;
// A few results by their numbers, without heap memory of their own: there is at least one for each
// node and for each row of an alignment.
using FewResults = absl::InlinedVector<int, 4>;

// Converts a number that is not kNone to an index.
inline size_t Index(int number) { return static_cast<size_t>(number); }

// The part of a result that holds what the other side has, as a buffer holds a shorter cache.
struct CountedPart {
  Shape begin;
  Shape shape;
  std::optional<Tensor> whole;  // the result itself, for the rest of it; nothing: not kept
};

// Conversions of a result's numbers before they are compared with the other side's (common_form.h).
struct CommonForm {
  bool other_sign = false;      // integers of the type with the other sign
  bool channels_first = false;  // the last axis comes after the first
  // The part beside which the other side has nothing is left out; null: all counts.
  std::shared_ptr<const CountedPart> part = nullptr;

  bool any() const { return other_sign || channels_first || part != nullptr; }
};

struct StreamResult {
  ResultKind kind = ResultKind::kResult;
  std::string name;
  std::string path;  // as Result::path
  int depth = 0;
  // The node that made it, and the output's slot; kNone for initializers, inputs, outputs and
  // recorded results.
  int node = kNone;
  int slot = 0;
  // OUTPUT: the result that it repeats; kNone in a recording without that result.
  int source = kNone;
  DType dtype = DType::kUndefined;          // tensors only
  DType own_precision = DType::kUndefined;  // its floats' precision: PrecisionOf(value)
  std::optional<Shape> shape;               // tensors only
  std::string type;                         // Value::TypeString()
  Fingerprint fingerprint;
  // The fingerprint is of this form of the result; statistics and letters are the result's own.
  CommonForm form;
  // The least precise floating type that the value or its inputs passed through (a quantized type
  // counts as its width). kUndefined: none.
  DType precision = DType::kUndefined;
  // Hash of its computation, over operator, attributes and the same hash of the inputs; for leaves,
  // over the content. Equal on both sides: the same computation on the same bits.
  uint64_t computation = 0;
  // For recorded results whose operator is known; others have a node.
  std::string op_type;
  std::string domain;
  // Layout of a recorded result that is compared in another one: "NHWC", "axes 1 0", "[32,64]".
  // Type, shape and fingerprint are of the layout in which it is compared.
  std::string recorded_as;
  bool other_rows = false;  // the entries of its first axis are in another order
};

struct StreamNode {
  std::string op_type;
  std::string domain;
  std::string name;
  std::string path;  // call path and iteration
  // The framework's module that it comes from, as recorded by the exporter: "encoder.layer.0";
  // nothing: unknown, or not requested (RecordOptions::modules).
  std::optional<std::string> module = std::nullopt;
  std::string source_line = {};  // the program's line that it comes from, "model.py:12"; likewise
  std::string attributes_text = {};  // "axis=-1, keepdims=0", for readers; likewise
  uint64_t attributes = 0;           // hash of the attributes, subgraphs included
  int64_t bits = 4;                  // NodeFacts::bits
  // The type that a runtime rounds its numbers to, if it is coarser than those that it gives; int8:
  // in short blocks. Else kUndefined.
  DType computes_in = DType::kUndefined;
  FewResults inputs;    // results by input slot; kNone: absent
  FewResults outputs;   // results by output slot; kNone: absent
  FewResults captures;  // results that its subgraphs read
  // True if all its inputs are results. The inputs of a subgraph need not be: a loop's counter, a
  // scanned slice, an initializer. They are kNone among the inputs.
  bool closed = true;

  friend bool operator==(const StreamNode&, const StreamNode&) = default;
};

// The floating type of the numbers that a runtime rounds to; integers in short blocks keep as many
// bits as bfloat16.
inline DType ComputedPrecision(const StreamNode& node) {
  return node.computes_in == DType::kInt8 ? DType::kBfloat16 : node.computes_in;
}

struct ResultStream {
  std::string source;                 // the file
  bool recorded = false;              // a recording: no nodes
  bool in_form = false;               // types and shapes are those of the common forms
  std::vector<StreamResult> results;  // in the order of the run
  std::vector<StreamNode> nodes;      // in the order of the run
};

// The operator that made a result, according to its node or the recording: "" if it is unknown.
inline const std::string& OpTypeOf(const StreamResult& result, const ResultStream& stream) {
  return result.node == kNone ? result.op_type : stream.nodes[Index(result.node)].op_type;
}
inline const std::string& DomainOf(const StreamResult& result, const ResultStream& stream) {
  return result.node == kNone ? result.domain : stream.nodes[Index(result.node)].domain;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_RESULT_STREAM_H_
