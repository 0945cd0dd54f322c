// One side of a comparison as plain data: its results with their fingerprints, and the nodes that
// made them. A recording is a stream without nodes.
#ifndef ONNXCMP_COMPARE_STREAMS_RESULT_STREAM_H_
#define ONNXCMP_COMPARE_STREAMS_RESULT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "compare/streams/fingerprint.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

inline constexpr int kNone = -1;
// A few results by their numbers, without memory of their own: there is at least one for each node
// and for each row of an alignment.
using FewResults = absl::InlinedVector<int, 4>;

// A number that is not kNone, to look up with.
inline size_t Index(int number) { return static_cast<size_t>(number); }

// How the numbers of a result are taken to compare them with the other side's (common_form.h).
struct CommonForm {
  bool other_sign = false;      // integers as those of the type with the other sign
  bool channels_first = false;  // the last axis after the first

  bool any() const { return other_sign || channels_first; }
};

struct StreamResult {
  ResultKind kind = ResultKind::kResult;
  std::string name;
  std::string path;  // as Result::path
  int depth = 0;
  // The node that made it and which of its outputs it is; kNone for initializers, inputs, outputs
  // and recorded results.
  int node = kNone;
  int slot = 0;
  // OUTPUT: the result that it shows once more; kNone in a recording without that result.
  int source = kNone;
  DType dtype = DType::kUndefined;          // of tensors
  DType own_precision = DType::kUndefined;  // of the floats in it: PrecisionOf(value)
  std::optional<Shape> shape;               // of tensors
  std::string type;                         // Value::TypeString()
  Fingerprint fingerprint;
  // The fingerprint is of this form of the result; statistics and letters are the result's own.
  CommonForm form;
  // The least precise floating type that the value or what it was computed from passed through
  // (a quantized type counts as its width). kUndefined: none.
  DType precision = DType::kUndefined;
  // How it was computed: a hash over operator, attributes and the same of the inputs; of leaves,
  // over the content. Equal on both sides: the same computation on the same bits.
  uint64_t computation = 0;
  // Of a recorded result that says what made it; others have a node.
  std::string op_type;
  std::string domain;
  // Of a recorded result that is compared in another layout than it was recorded in: "NHWC",
  // "axes 1 0", "[32,64]". Type, shape and fingerprint are those that it is compared in.
  std::string recorded_as;
  bool other_rows = false;  // that has the entries of the first axis in another order
};

struct StreamNode {
  std::string op_type;
  std::string domain;
  std::string name;
  std::string path;  // call path and iteration
  // The module of a framework that it comes from, as an exporter wrote it down: "encoder.layer.0";
  // nothing: unknown, or not asked for (RecordOptions::modules).
  std::optional<std::string> module = std::nullopt;
  uint64_t attributes = 0;  // hash of the attributes, subgraphs included
  int64_t bits = 4;         // NodeFacts::bits
  FewResults inputs;        // results by input slot; kNone: absent
  FewResults outputs;       // results by output slot; kNone: absent
  FewResults captures;      // results that its subgraphs read
  // Whether all that it reads are results. Values that subgraphs begin with need not be: a loop's
  // counter, a slice that is scanned, an initializer. They are kNone among the inputs.
  bool closed = true;

  friend bool operator==(const StreamNode&, const StreamNode&) = default;
};

struct ResultStream {
  std::string source;                 // the file
  bool recorded = false;              // a recording: no nodes
  bool in_form = false;               // types and shapes are those of the common forms
  std::vector<StreamResult> results;  // in the order of their appearance
  std::vector<StreamNode> nodes;      // in the order they ran
};

// The operator that made a result, as far as a node or the recording says: "" if neither does.
inline const std::string& OpTypeOf(const StreamResult& result, const ResultStream& stream) {
  return result.node == kNone ? result.op_type : stream.nodes[Index(result.node)].op_type;
}
inline const std::string& DomainOf(const StreamResult& result, const ResultStream& stream) {
  return result.node == kNone ? result.domain : stream.nodes[Index(result.node)].domain;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_RESULT_STREAM_H_
