// What the name of a recorded result says about which result of the other side it is.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RECORDED_NAMES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RECORDED_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// How a name came to mean a result, the surest last.
enum class NameRule : uint8_t {
  kNone,
  kWithin,   // all parts of the name are there in order
  kModule,   // it is the path of a module, of which the result leaves the module
  kCounted,  // the same name, one that exporters count ("add_12"): other exports have it, too
  kSame,     // the same name
  kOutput,   // that of an output of the model
};

struct NamedResult {
  int result = kNone;
  NameRule rule = NameRule::kNone;
};

// Letters and digits of a name, in lower case, in words.
std::vector<std::string> WordsOf(absl::string_view name);

// Whether a name is a word and a number that tools count up: "add_12", "Unsqueeze_21_output_0",
// "onnx::MatMul_117", "17".
bool IsCounted(absl::string_view name);

class RecordedNames {
 public:
  // Both must outlive the object.
  RecordedNames(const ResultStream& recording, const ResultStream& other);

  // What a recorded result is called as, of results that have about its size if there are any.
  // Initializers are meant by their own names alone.
  NamedResult Find(int recorded) const;

 private:
  // A run of results that a module gives, by path.
  struct Module {
    std::vector<int> results;  // that leave it, in order
  };

  void FindModules();
  // Of a node, from what its exporter wrote or from its name; nothing if neither says.
  std::vector<std::string> ModuleOf(const StreamNode& node) const;
  const Module* ModuleCalled(absl::string_view name) const;
  bool SameSize(int recorded, int other) const;
  NamedResult FindSame(int recorded) const;
  NamedResult FindModule(int recorded) const;
  NamedResult FindWithin(int recorded) const;

  const ResultStream& recording_;
  const ResultStream& other_;
  absl::flat_hash_map<std::string, int> outputs_;     // results that outputs show
  absl::flat_hash_map<std::string, int> names_;       // the last of a full name
  absl::flat_hash_map<std::string, int> spelled_;     // by words, the last; kNone - 1: several
  absl::flat_hash_map<std::string, Module> modules_;  // by words, joined
  std::string before_;  // what the other side's paths have before the recorded ones
  size_t skipped_ = 0;  // parts that recorded paths have before the other side's
  std::vector<std::vector<std::string>> words_;  // by result of the other side
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RECORDED_NAMES_H_
